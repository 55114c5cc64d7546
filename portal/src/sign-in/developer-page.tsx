import { Loader, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../api/accounts.ts";
import { linkToken } from "../register/link-token.ts";
import { Door } from "../shell/door.tsx";
import { Failure } from "../shell/failure.tsx";

/** Where the link of `tollgate dev` leads: a developer is let in at once, and the secret leaves the address bar. */
export function DeveloperPage(): ReactNode {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // A query and not an effect: however often the page is drawn, it asks once.
  const signIn = useQuery({
    queryKey: ["developer"],
    queryFn: async () => {
      await ask("POST /accounts/developer", { token: linkToken() });
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "developer" });
      return true;
    },
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  if (signIn.data) return <Navigate to="/" replace />;
  return (
    <Door title={t("developer.title")} lede={t("developer.lede")}>
      {signIn.error ? <Failure error={signIn.error} /> : <Loader size="sm" />}
      {signIn.error && <Text size="sm">{t("developer.again")}</Text>}
    </Door>
  );
}
