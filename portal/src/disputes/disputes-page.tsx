import { Anchor, Stack, Text, Title } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { NoMatches } from "../components/empty-list.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { StatusFilter } from "../components/status-filter.tsx";
import { disputeStatuses } from "./dispute-label.ts";
import { DisputeRow } from "./dispute-row.tsx";

export function DisputesPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/disputes" });
  return (
    <>
      <PageHead title={t("disputes.title")} lede={t("disputes.lede")} />
      <WithClient environment={environment}>
        {(scope) => (
          <Stack gap="xl">
            <PendingDisputes scope={scope} />
            <DisputeList scope={scope} />
          </Stack>
        )}
      </WithClient>
    </>
  );
}

/** Disputes that need an answer stay at the top, whatever the filter of the list. */
function PendingDisputes({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(scope, "unansweredDisputes", {});
  const disputes = pages.data?.pages.flatMap((page) => page.disputes) ?? [];
  return (
    <section aria-labelledby="waiting">
      <Title order={2} size="h4" id="waiting">
        {t("disputes.waitingTitle")}
      </Title>
      {disputes.length > 0 && (
        <Text c="dimmed" size="sm">
          {t("disputes.waitingLede")}
        </Text>
      )}
      <Stack mt="sm">
        <PagedList
          pages={pages}
          rows={disputes.map((each) => (
            <DisputeRow key={each.disputeId} scope={scope} dispute={each} />
          ))}
          empty={<Text c="dimmed">{t("disputes.noneWaiting")}</Text>}
        />
      </Stack>
    </section>
  );
}

function DisputeList({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const { disputeStatus } = useSearch({ from: "/shell/$environment/disputes" });
  const pages = usePages(scope, "disputes", disputeStatus ? { disputeStatus } : {});
  const disputes = pages.data?.pages.flatMap((page) => page.disputes) ?? [];
  return (
    <section aria-labelledby="all">
      <Title order={2} size="h4" mb="sm" id="all">
        {t("disputes.allTitle")}
      </Title>
      <Stack>
        <StatusFilter
          label={t("lists.status")}
          name="disputeStatus"
          value={disputeStatus}
          choices={disputeStatuses.map((value) => ({ value, label: t(`disputes.status.${value}`) }))}
        />
        <PagedList
          pages={pages}
          rows={disputes.map((each) => (
            <DisputeRow key={each.disputeId} scope={scope} dispute={each} />
          ))}
          empty={<NoDisputes scope={scope} isFiltered={disputeStatus !== undefined} />}
        />
      </Stack>
    </section>
  );
}

function NoDisputes({
  scope,
  isFiltered,
}: {
  readonly scope: ClientScope;
  readonly isFiltered: boolean;
}): ReactNode {
  const { t } = useTranslation();
  if (isFiltered) return <NoMatches />;
  const isSandbox = scope.environment === "sandbox";
  const guide = `${findGateway(scope.environment)?.url ?? ""}/docs/guides/disputes`;
  return (
    <EmptyState
      icon="disputes"
      title={t("disputes.noneTitle")}
      lede={[t("disputes.none"), isSandbox && t("disputes.noneSandbox")].filter(Boolean).join(" ")}
    >
      {isSandbox && (
        <Anchor href={guide} target="_blank" rel="noreferrer">
          {t("disputes.toGuide")}
        </Anchor>
      )}
    </EmptyState>
  );
}
