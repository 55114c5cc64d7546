import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { LinkAnchor } from "../components/links.tsx";

export function RegisterPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const register = useMutation({
    mutationFn: (input: Readonly<Record<"name" | "email" | "organisation", string>>) =>
      requestAccounts("POST /accounts/register", input),
    onSuccess: (_, { email }) => navigate({ to: "/check-mail", state: { email } }),
  });
  return (
    <SignInGate title={t("register.title")} lede={t("register.lede")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          register.mutate(readFields(event.currentTarget, ["name", "email", "organisation"]));
        }}
      >
        <Stack>
          <Failure error={register.error} />
          <TextInput
            name="name"
            label={t("register.name")}
            autoComplete="name"
            maxLength={100}
            required
            autoFocus
          />
          <TextInput
            name="email"
            type="email"
            label={t("register.email")}
            autoComplete="email"
            maxLength={254}
            required
          />
          <TextInput
            name="organisation"
            label={t("register.organisation")}
            description={t("register.organisationHint")}
            autoComplete="organization"
            maxLength={100}
            required
          />
          <Button type="submit" loading={register.isPending} fullWidth>
            {t("register.go")}
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        {t("register.haveAccount")} <LinkAnchor to="/sign-in">{t("signIn.title")}</LinkAnchor>
      </Text>
    </SignInGate>
  );
}
