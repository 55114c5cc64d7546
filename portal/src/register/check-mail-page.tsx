import { List, Text } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { LinkAnchor } from "../components/links.tsx";

/** The page is the same for known and unknown addresses, so that it does not reveal accounts. */
export function CheckMailPage(): ReactNode {
  const { t } = useTranslation();
  const { email } = useLocation().state;
  return (
    <SignInGate
      title={t("checkMail.title")}
      lede={email ? t("checkMail.sentTo", { email }) : t("checkMail.sent")}
    >
      <List spacing="xs" size="sm">
        <List.Item>{t("checkMail.lasts")}</List.Item>
        <List.Item>{t("checkMail.spam")}</List.Item>
        <List.Item>{t("checkMail.again")}</List.Item>
      </List>
      <Text size="sm">
        <LinkAnchor to="/register">{t("checkMail.otherAddress")}</LinkAnchor>
      </Text>
    </SignInGate>
  );
}
