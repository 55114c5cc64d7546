import { Button, Loader, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { Door } from "../shell/door.tsx";
import { Failure } from "../shell/failure.tsx";
import { linkToken } from "./link-token.ts";
import { LinkAnchor } from "../shell/links.tsx";

/** Opened by a button, not by the page: programs that look at links in letters would use it up. */
export function VerifyPage(): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () => ask("POST /accounts/verify-email", { token: linkToken() }),
    onSuccess: async () => {
      await queries.resetQueries();
      await navigate({ to: "/set-up" });
    },
  });
  return (
    <Door title={t("verify.title")} lede={t("verify.lede")}>
      <Failure error={verify.error} />
      <Button onClick={() => verify.mutate()} disabled={verify.isPending} autoFocus fullWidth>
        {verify.isPending ? <Loader size="xs" /> : t("verify.go")}
      </Button>
      {verify.error && (
        <Text size="sm">
          <LinkAnchor to="/register">{t("verify.again")}</LinkAnchor>
        </Text>
      )}
    </Door>
  );
}
