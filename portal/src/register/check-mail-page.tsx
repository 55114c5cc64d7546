import { List, Text } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Door } from "../shell/door.tsx";
import { LinkAnchor } from "../shell/links.tsx";

/** The same whether the address is known or not: a page must not tell more than the server does. */
export function CheckMailPage(): ReactNode {
  const { t } = useTranslation();
  const { email } = useLocation().state;
  return (
    <Door title={t("checkMail.title")} lede={email ? t("checkMail.sentTo", { email }) : t("checkMail.sent")}>
      <List spacing="xs" size="sm">
        <List.Item>{t("checkMail.lasts")}</List.Item>
        <List.Item>{t("checkMail.spam")}</List.Item>
        <List.Item>{t("checkMail.again")}</List.Item>
      </List>
      <Text size="sm">
        <LinkAnchor to="/register">{t("checkMail.otherAddress")}</LinkAnchor>
      </Text>
    </Door>
  );
}
