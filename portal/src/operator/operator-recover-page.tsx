import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { RecoverForm } from "../recovery/recover-form.tsx";
import { OperatorSignInGate } from "./operator-sign-in-gate.tsx";
import { PageLink } from "./operator-links.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

/** The recovery page for staff who have lost their passkeys. Two admins vouch for them on the page Staff. */
export function OperatorRecoverPage(): ReactNode {
  const { t } = useConsoleTexts();
  return (
    <OperatorSignInGate title={t("recover.title")} lede={t("recover.lede")}>
      <RecoverForm />
      <Text size="sm">
        <PageLink to="/sign-in">{t("signIn.go")}</PageLink>
      </Text>
    </OperatorSignInGate>
  );
}
