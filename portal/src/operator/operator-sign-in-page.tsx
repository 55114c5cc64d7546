import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { forgetTokens } from "../api/console.ts";
import { refused } from "../api/refusal-error.ts";
import { Failure } from "../components/failure.tsx";
import { WithOidc } from "../sign-in/with-oidc.tsx";
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
  const { refused: word } = useSearch({ strict: false });
  const notLetIn = word === "OIDC_REFUSED" && refused(word, common(`refusals.${word}`));
  const signIn = useMutation({
    mutationFn: async () => {
      const { options } = await ask("POST /accounts/sign-in/passkey/begin", {});
      const { answerWithPasskey } = await import("../session/passkey.ts");
      await ask("POST /accounts/sign-in/passkey", { response: await answerWithPasskey(options) });
    },
    onSuccess: () => {
      forgetTokens();
      queries.clear();
      router.history.push("/");
    },
  });
  return (
    <OperatorSignInGate title={t("signIn.title")} lede={t("signIn.lede")}>
      <Failure error={signIn.error ?? notLetIn} />
      <Button onClick={() => signIn.mutate()} loading={signIn.isPending} size="md" autoFocus fullWidth>
        {t("signIn.go")}
      </Button>
      <WithOidc />
      <Text size="sm" c="dimmed">
        {t("signIn.invited")}
      </Text>
      <Text size="sm">
        <PageLink to="/recover">{t("recover.lost")}</PageLink>
      </Text>
    </OperatorSignInGate>
  );
}
