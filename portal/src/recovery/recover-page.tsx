import { Button, List, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { forgetTokens } from "../api/console.ts";
import { Door } from "../shell/door.tsx";
import { Failure } from "../shell/failure.tsx";
import { fieldsOf } from "../shell/fields-of.ts";
import { LinkAnchor } from "../shell/links.tsx";

/** For people who have nothing left to sign in with: others vouch for them. */
export function RecoverPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const recover = useMutation({
    mutationFn: ({ code, second }: Readonly<Record<"code" | "second", string>>) =>
      ask("POST /accounts/recover", { codes: [code, second].filter((each) => each !== "") }),
    onSuccess: async () => {
      forgetTokens();
      await queries.resetQueries();
      await navigate({ to: "/set-up" });
    },
  });
  return (
    <Door title={t("recovery.title")} lede={t("recovery.lede")}>
      <List spacing="xs" size="sm">
        <List.Item>{t("recovery.howTwo")}</List.Item>
        <List.Item>{t("recovery.howProvider")}</List.Item>
      </List>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          recover.mutate(fieldsOf(event.currentTarget, ["code", "second"]));
        }}
      >
        <Stack>
          <Failure error={recover.error} />
          <TextInput
            name="code"
            label={t("recovery.code")}
            description={t("recovery.codeHint")}
            autoComplete="off"
            maxLength={40}
            required
          />
          <TextInput
            name="second"
            label={t("recovery.second")}
            description={t("recovery.secondHint")}
            autoComplete="off"
            maxLength={40}
          />
          <Button type="submit" loading={recover.isPending} fullWidth>
            {t("recovery.go")}
          </Button>
        </Stack>
      </form>
      <Text size="sm">
        <LinkAnchor to="/sign-in">{t("signIn.title")}</LinkAnchor>
      </Text>
    </Door>
  );
}
