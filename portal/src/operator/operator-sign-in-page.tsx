import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { clearTokens } from "../api/console-requests.ts";
import { createRefusal } from "../api/refusal-error.ts";
import { Failure } from "../components/failure.tsx";
import { OidcButton } from "../sign-in/oidc-button.tsx";
import { OperatorSignInGate } from "./operator-sign-in-gate.tsx";
import { PageLink } from "./operator-links.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

/**
 * Sign-in by passkey or by the operator's identity provider only, so there is no password that a phishing page could
 * collect.
 */
export function OperatorSignInPage(): ReactNode {
  const { t } = useConsoleTexts();
  const queries = useQueryClient();
  const router = useRouter();
  const { t: common } = useTranslation();
  const { refused: code } = useSearch({ strict: false });
  const rejection = code === "OIDC_REFUSED" && createRefusal(code, common(`refusals.${code}`));
  const signIn = useMutation({
    mutationFn: async () => {
      const { options } = await requestAccounts("POST /accounts/sign-in/passkey/begin", {});
      const { signWithPasskey } = await import("../session/passkey.ts");
      await requestAccounts("POST /accounts/sign-in/passkey", {
        response: await signWithPasskey(options),
      });
    },
    onSuccess: () => {
      clearTokens();
      queries.clear();
      router.history.push("/");
    },
  });
  return (
    <OperatorSignInGate title={t("signIn.title")} lede={t("signIn.lede")}>
      <Failure error={signIn.error ?? rejection} />
      <Button onClick={() => signIn.mutate()} loading={signIn.isPending} size="md" autoFocus fullWidth>
        {t("signIn.go")}
      </Button>
      <OidcButton />
      <Text size="sm" c="dimmed">
        {t("signIn.invited")}
      </Text>
      <Text size="sm">
        <PageLink to="/recover">{t("recover.lost")}</PageLink>
      </Text>
    </OperatorSignInGate>
  );
}
