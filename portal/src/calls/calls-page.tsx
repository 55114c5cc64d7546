import { NativeSelect, Stack } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { LinkButton } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { CallStatus, UnverifiedCaller } from "./call-status.tsx";
import { useRecentCalls, type RecentCall } from "./use-recent-calls.ts";

type LoggedCall = Views["calls"]["response"]["calls"][number];
type Order = NonNullable<Views["calls"]["request"]["order"]>;
const orders: readonly Order[] = ["REFUSED_FIRST", "NEWEST_FIRST"];

export function CallsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/calls" });
  const lede = t(environment === "sandbox" ? "calls.ledeLive" : "calls.lede");
  return (
    <>
      <PageHead title={t("calls.title")} lede={lede} />
      <WithClient environment={environment}>{(scope) => <Calls scope={scope} />}</WithClient>
    </>
  );
}

function Calls({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { order = "REFUSED_FIRST" } = useSearch({ from: "/shell/$environment/calls" });
  const recent = useRecentCalls(scope);
  const pages = usePages(scope, "calls", { order });
  const logged = pages.data?.pages.flatMap((page) => page.calls) ?? [];
  const isLive = scope.environment === "live";
  return (
    <Stack>
      <NativeSelect
        label={t("calls.order")}
        w="fit-content"
        value={order}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ to: "/$environment/calls", params: scope, search: { order: value as Order } })
        }
        data={orders.map((value) => ({ value, label: t(`calls.${value}`) }))}
      />
      <PagedList
        pages={pages}
        rows={mergeCalls(recent, logged, order).map((call) => (
          <li key={call.requestId}>
            {"isProven" in call ? (
              <RecentRow scope={scope} call={call} />
            ) : (
              <LoggedRow scope={scope} call={call} />
            )}
          </li>
        ))}
        empty={
          <EmptyState
            icon="calls"
            title={t("calls.noneTitle")}
            lede={t(isLive ? "calls.none" : "calls.noneLive")}
          >
            {!isLive && (
              <LinkButton to="/$environment/try" params={scope} variant="default">
                {t("try.title")}
              </LinkButton>
            )}
          </EmptyState>
        }
      />
    </Stack>
  );
}

/**
 * `mergeCalls` merges the API requests in the gateway's memory with those in the request log, without duplicates, in
 * the chosen order.
 */
function mergeCalls(
  recent: readonly RecentCall[],
  logged: readonly LoggedCall[],
  order: Order,
): readonly (RecentCall | LoggedCall)[] {
  const recentIds = new Set(recent.map(({ requestId }) => requestId));
  const merged = [...recent, ...logged.filter(({ requestId }) => !recentIds.has(requestId))].toSorted(
    (one, other) => Date.parse(other.createdTime) - Date.parse(one.createdTime),
  );
  if (order === "NEWEST_FIRST") return merged;
  const isRefused = ({ resultStatus }: LoggedCall): boolean => resultStatus === "F";
  return [...merged.filter(isRefused), ...merged.filter((call) => !isRefused(call))];
}

/** A row that links to the details of the API request. */
function RecentRow({ scope, call }: { readonly scope: ClientScope; readonly call: RecentCall }): ReactNode {
  const { environment } = scope;
  const { requestId } = call;
  return (
    <Link className="row row-three" to="/$environment/calls/$requestId" params={{ environment, requestId }}>
      <span>
        <CallStatus call={call} /> {!call.isProven && <UnverifiedCaller />}
      </span>
      <CallFacts call={call} />
    </Link>
  );
}

/** A row whose result code links to the reference, which explains how to fix the request. */
function LoggedRow({ scope, call }: { readonly scope: ClientScope; readonly call: LoggedCall }): ReactNode {
  const docs = `${findGateway(scope.environment)?.url ?? ""}/docs/results#${call.resultCode}`;
  return (
    <div className="row row-three">
      <a href={docs} target="_blank" rel="noreferrer">
        <CallStatus call={call} />
      </a>
      <CallFacts call={call} />
    </div>
  );
}

function CallFacts({ call }: { readonly call: LoggedCall }): ReactNode {
  const { t } = useTranslation();
  const { requestId, createdTime, path, keyVersion, durationMs } = call;
  return (
    <>
      <span className="row-what">
        <span className="id">{path}</span>
        <small>
          {t("calls.key", { version: keyVersion })} · {durationMs} ms ·{" "}
          <span className="id">{requestId}</span>
        </small>
      </span>
      <span className="row-when">
        <Moment at={createdTime} />
      </span>
    </>
  );
}
