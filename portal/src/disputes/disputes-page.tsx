import { Anchor, Stack, Text, Title } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { gatewayOf } from "../api/environments.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import { Empty } from "../components/empty.tsx";
import { NoneFit } from "../components/empty-list.tsx";
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
        {(place) => (
          <Stack gap="xl">
            <Waiting place={place} />
            <All place={place} />
          </Stack>
        )}
      </WithClient>
    </>
  );
}

/** Disputes that need an answer stay at the top, whatever the filter of the list. */
function Waiting({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(place, "unansweredDisputes", {});
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
            <DisputeRow key={each.disputeId} place={place} dispute={each} />
          ))}
          empty={<Text c="dimmed">{t("disputes.noneWaiting")}</Text>}
        />
      </Stack>
    </section>
  );
}

function All({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const { disputeStatus } = useSearch({ from: "/shell/$environment/disputes" });
  const pages = usePages(place, "disputes", disputeStatus ? { disputeStatus } : {});
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
            <DisputeRow key={each.disputeId} place={place} dispute={each} />
          ))}
          empty={<NoDisputes place={place} isFiltered={disputeStatus !== undefined} />}
        />
      </Stack>
    </section>
  );
}

function NoDisputes({
  place,
  isFiltered,
}: {
  readonly place: Place;
  readonly isFiltered: boolean;
}): ReactNode {
  const { t } = useTranslation();
  if (isFiltered) return <NoneFit />;
  const isSandbox = place.environment === "sandbox";
  const guide = `${gatewayOf(place.environment)?.url ?? ""}/docs/guides/disputes`;
  return (
    <Empty
      icon="disputes"
      title={t("disputes.noneTitle")}
      lede={[t("disputes.none"), isSandbox && t("disputes.noneSandbox")].filter(Boolean).join(" ")}
    >
      {isSandbox && (
        <Anchor href={guide} target="_blank" rel="noreferrer">
          {t("disputes.toGuide")}
        </Anchor>
      )}
    </Empty>
  );
}
