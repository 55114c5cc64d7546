import { Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation, useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { clearTokens } from "../api/console-requests.ts";
import { createRefusal } from "../api/refusal-error.ts";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { LinkAnchor } from "../components/links.tsx";
import { OidcButton } from "./oidc-button.tsx";

export function SignInPage(): ReactNode {
  const { t } = useTranslation();
  const search = useSearch({ from: "/sign-in" });
  // The token of a link in an email must not be in a URL that a server receives, so it is passed as router state.
  const { to = search.to } = useLocation().state;
  const enter = useEnter(to);
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await requestAccounts("POST /accounts/sign-in/passkey/begin", {});
      // The passkey code is loaded on demand, because most people leave this page before they need it.
      const { signWithPasskey } = await import("../session/passkey.ts");
      await requestAccounts("POST /accounts/sign-in/passkey", { response: await signWithPasskey(options) });
    },
    onSuccess: enter,
  });
  const byPassword = useMutation({
    mutationFn: (credentials: Readonly<Record<"email" | "password" | "code", string>>) =>
      requestAccounts("POST /accounts/sign-in/password", credentials),
    onSuccess: enter,
  });
  return (
    <SignInGate title={t("signIn.title")} lede={to === undefined ? t("signIn.lede") : t("signIn.goOn")}>
      <Failure
        error={
          byPasskey.error ??
          (search.refused && createRefusal(search.refused, t(`refusals.${search.refused}`)))
        }
      />
      <Button onClick={() => byPasskey.mutate()} loading={byPasskey.isPending} size="md" autoFocus fullWidth>
        {t("signIn.withPasskey")}
      </Button>
      <OidcButton />
      <Divider label={t("signIn.orPassword")} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          byPassword.mutate(readFields(event.currentTarget, ["email", "password", "code"]));
        }}
      >
        <Stack>
          <Failure error={byPassword.error} />
          <TextInput name="email" type="email" label={t("signIn.email")} autoComplete="username" required />
          <PasswordInput
            name="password"
            label={t("signIn.password")}
            autoComplete="current-password"
            required
          />
          <TextInput
            name="code"
            label={t("signIn.code")}
            description={t("signIn.codeHint")}
            inputMode="numeric"
            autoComplete="one-time-code"
            pattern="[0-9]{6}"
            required
          />
          <Button type="submit" variant="default" loading={byPassword.isPending} fullWidth>
            {t("signIn.withPassword")}
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        {t("signIn.new")} <LinkAnchor to="/register">{t("signIn.register")}</LinkAnchor>
      </Text>
      <Text size="sm">
        <LinkAnchor to="/recover">{t("recovery.lost")}</LinkAnchor>
      </Text>
    </SignInGate>
  );
}

/** `useEnter` opens the requested page after sign-in. It clears the data of the previous person in this browser. */
function useEnter(to: string | undefined): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    clearTokens();
    queries.clear();
    router.history.push(to ?? "/");
  };
}
