import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { askView, type Place } from "../api/console.ts";
import { indented } from "../calls/format-json.ts";
import { WithClient } from "../clients/with-client.tsx";
import { apiOperations } from "../generated/api.ts";
import { Failure } from "../components/failure.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SandboxOnly } from "../components/sandbox-only.tsx";
import { BrowserKey, useKeptKey } from "./browser-key.tsx";
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
          {(place) => <Try key={place.clientId} place={place} />}
        </WithClient>
      )}
    </>
  );
}

function Try({ place }: { readonly place: Place }): ReactNode {
  const { again } = useSearch({ from: "/shell/$environment/try" });
  const kept = useKeptKey(place);
  const earlier = useQuery({
    queryKey: ["recentCall", place, again],
    queryFn: () => askView(place, "recentCall", { requestId: again ?? "" }),
    enabled: again !== undefined,
    staleTime: Infinity,
  });
  if (kept === undefined || earlier.isLoading) return <Skeleton height={320} />;
  const call = earlier.data?.call;
  const operation = call && apiOperations.find(({ path }) => call.path.endsWith(`/${path}`));
  return (
    <Stack gap="xl">
      <BrowserKey place={place} kept={kept} />
      <Failure error={earlier.error} />
      <TryForm
        key={again ?? ""}
        place={place}
        kept={kept}
        again={operation && { operation, body: indented(call.requestBody) }}
      />
    </Stack>
  );
}
