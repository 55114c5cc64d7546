import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { Failure } from "../components/failure.tsx";

/**
 * The button for the operator's identity provider, if one is configured. The browser leaves the page and returns signed
 * in.
 */
export function OidcButton(): ReactNode {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ["ways-in"],
    queryFn: () => requestAccounts("GET /accounts/ways-in", {}),
  });
  const go = useMutation({
    mutationFn: () => requestAccounts("POST /accounts/sign-in/oidc", {}),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  if (data?.oidc === undefined) return undefined;
  return (
    <>
      <Failure error={go.error} />
      <Button variant="default" onClick={() => go.mutate()} loading={go.isPending} fullWidth>
        {t("signIn.withOidc", { name: data.oidc })}
      </Button>
    </>
  );
}
