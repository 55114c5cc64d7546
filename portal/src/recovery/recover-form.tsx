import { Button, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { forgetTokens } from "../api/console.ts";
import { Failure } from "../components/failure.tsx";
import { fieldsOf } from "../components/fields-of.ts";

/** The form for the code that the person got by email. */
export function RecoverForm(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const recover = useMutation({
    mutationFn: (code: string) => ask("POST /accounts/recover", { code }),
    onSuccess: async () => {
      forgetTokens();
      await queries.resetQueries();
      await navigate({ to: "/set-up" });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        recover.mutate(fieldsOf(event.currentTarget, ["code"]).code);
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
        <Button type="submit" loading={recover.isPending} fullWidth>
          {t("recovery.go")}
        </Button>
      </Stack>
    </form>
  );
}
