import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { indentJson } from "../calls/format-json.ts";
import { WithClient } from "../clients/with-client.tsx";
import { apiOperations } from "../generated/api.ts";
import { Failure } from "../components/failure.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SandboxOnly } from "../components/sandbox-only.tsx";
import { BrowserKey, useStoredKey } from "./browser-key.tsx";
import { TryForm } from "./try-form.tsx";

export function TryPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/try" });
  return (
    <>
      <PageHead title={t("try.title")} lede={t("try.lede")} />
      {environment === "live" ? (
        <SandboxOnly lede={t("try.onlySandbox")} />
      ) : (
        <WithClient environment={environment}>
          {(scope) => <Try key={scope.clientId} scope={scope} />}
        </WithClient>
      )}
    </>
  );
}

function Try({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { again: repeatedId } = useSearch({ from: "/shell/$environment/try" });
  const storedKey = useStoredKey(scope);
  const earlier = useQuery({
    queryKey: ["recentCall", scope, repeatedId],
    queryFn: () => queryView(scope, "recentCall", { requestId: repeatedId ?? "" }),
    enabled: repeatedId !== undefined,
    staleTime: Infinity,
  });
  if (storedKey === undefined || earlier.isLoading) return <Skeleton height={320} />;
  const call = earlier.data?.call;
  const operation = call && apiOperations.find(({ path }) => call.path.endsWith(`/${path}`));
  return (
    <Stack gap="xl">
      <BrowserKey scope={scope} storedKey={storedKey} />
      <Failure error={earlier.error} />
      <TryForm
        key={repeatedId ?? ""}
        scope={scope}
        storedKey={storedKey}
        repeated={operation && { operation, body: indentJson(call.requestBody) }}
      />
    </Stack>
  );
}
