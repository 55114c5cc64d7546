import { List, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Door } from "../shell/door.tsx";
import { LinkAnchor } from "../shell/links.tsx";
import { RecoverForm } from "./recover-form.tsx";

/** For people who have nothing left to sign in with: others vouch for them. */
export function RecoverPage(): ReactNode {
  const { t } = useTranslation();
  return (
    <Door title={t("recovery.title")} lede={t("recovery.lede")}>
      <List spacing="xs" size="sm">
        <List.Item>{t("recovery.howTwo")}</List.Item>
        <List.Item>{t("recovery.howProvider")}</List.Item>
      </List>
      <RecoverForm />
      <Text size="sm">
        <LinkAnchor to="/sign-in">{t("signIn.title")}</LinkAnchor>
      </Text>
    </Door>
  );
}
