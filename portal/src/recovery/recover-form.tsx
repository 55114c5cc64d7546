import { Button, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { clearTokens } from "../api/console-requests.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";

/** The form for the code that the person got by email. */
export function RecoverForm(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const recover = useMutation({
    mutationFn: (code: string) => requestAccounts("POST /accounts/recover", { code }),
    onSuccess: async () => {
      clearTokens();
      await queries.resetQueries();
      await navigate({ to: "/set-up" });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        recover.mutate(readFields(event.currentTarget, ["code"]).code);
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
