import { Loader, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { readLinkToken } from "../register/link-token.ts";
import { SignInGate } from "../shell/sign-in-gate.tsx";
import { Failure } from "../components/failure.tsx";

export function DeveloperPage(): ReactNode {
  const calls = <Navigate to="/$environment/calls" params={{ environment: "sandbox" }} replace />;
  return <SignInByLink next={calls} />;
}

/** The operator console has no page for API requests, so it opens its start page. */
export function OperatorDeveloperPage(): ReactNode {
  return <SignInByLink next={<Navigate to="/" replace />} />;
}

/**
 * `SignInByLink` signs a developer in by the link of `tollgate dev`, and removes the secret from the address bar. The
 * gateway's own page links here without the secret, for developers who are signed in already.
 */
function SignInByLink({ next }: { readonly next: ReactNode }): ReactNode {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // A query instead of an effect: repeated rendering sends only one request.
  const signIn = useQuery({
    queryKey: ["developer"],
    queryFn: async () => {
      const token = readLinkToken();
      if (token === "") return isSignedIn();
      await requestAccounts("POST /accounts/developer", { token });
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "developer" });
      return true;
    },
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  if (signIn.data) return next;
  return (
    <SignInGate title={t("developer.title")} lede={t("developer.lede")}>
      <Failure error={signIn.error} />
      {signIn.isPending ? <Loader size="sm" /> : <Text size="sm">{t("developer.again")}</Text>}
    </SignInGate>
  );
}

function isSignedIn(): Promise<boolean> {
  return requestAccounts("GET /accounts/me", {}).then(
    () => true,
    () => false,
  );
}
