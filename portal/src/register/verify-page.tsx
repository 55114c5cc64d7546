import { Button, Loader, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { Failure } from "../components/failure.tsx";
import { readLinkToken } from "./link-token.ts";
import { LinkAnchor } from "../components/links.tsx";

/**
 * The page verifies the address only when a person presses the button. Email scanners open links, which would use up
 * the token.
 */
export function VerifyPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () => requestAccounts("POST /accounts/verify-email", { token: readLinkToken() }),
    onSuccess: async () => {
      await queries.resetQueries();
      await navigate({ to: "/set-up" });
    },
  });
  return (
    <SignInGate title={t("verify.title")} lede={t("verify.lede")}>
      <Failure error={verify.error} />
      <Button onClick={() => verify.mutate()} disabled={verify.isPending} autoFocus fullWidth>
        {verify.isPending ? <Loader size="xs" /> : t("verify.go")}
      </Button>
      {verify.error && (
        <Text size="sm">
          <LinkAnchor to="/register">{t("verify.again")}</LinkAnchor>
        </Text>
      )}
    </SignInGate>
  );
}
