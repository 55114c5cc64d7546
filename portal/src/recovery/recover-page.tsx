import { List, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { RecoverForm } from "./recover-form.tsx";

/** The recovery page for people who cannot sign in any more. Two colleagues vouch for them. */
export function RecoverPage(): ReactNode {
  const { t } = useTranslation();
  return (
    <SignInGate title={t("recovery.title")} lede={t("recovery.lede")}>
      <List spacing="xs" size="sm">
        <List.Item>{t("recovery.howTwo")}</List.Item>
        <List.Item>{t("recovery.howProvider")}</List.Item>
      </List>
      <RecoverForm />
      <Text size="sm">
        <LinkAnchor to="/sign-in">{t("signIn.title")}</LinkAnchor>
      </Text>
    </SignInGate>
  );
}
