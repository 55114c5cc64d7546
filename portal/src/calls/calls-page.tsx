import { NativeSelect, Stack } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { gatewayOf } from "../api/environments.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { Empty } from "../shell/empty.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { PagesOf } from "../shell/pages-of.tsx";

type Call = Views["calls"]["response"]["calls"][number];
type Order = NonNullable<Views["calls"]["request"]["order"]>;
const orders: readonly Order[] = ["REFUSED_FIRST", "NEWEST_FIRST"];

export function CallsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/calls" });
  return (
    <>
      <PageHead title={t("calls.title")} lede={t("calls.lede")} />
      <WithClient environment={environment}>{(place) => <Calls place={place} />}</WithClient>
    </>
  );
}

function Calls({ place }: { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { order = "REFUSED_FIRST" } = useSearch({ from: "/shell/$environment/calls" });
  const pages = usePages(place, "calls", { order });
  const calls = pages.data?.pages.flatMap((page) => page.calls) ?? [];
  return (
    <Stack>
      <NativeSelect
        label={t("calls.order")}
        w="fit-content"
        value={order}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ to: "/$environment/calls", params: place, search: { order: value as Order } })
        }
        data={orders.map((value) => ({ value, label: t(`calls.${value}`) }))}
      />
      <PagesOf
        pages={pages}
        rows={calls.map((call) => (
          <CallRow key={call.requestId} place={place} call={call} />
        ))}
        empty={<Empty icon="calls" title={t("calls.noneTitle")} lede={t("calls.none")} />}
      />
    </Stack>
  );
}

/** The code leads to the reference, which says what to do about it. */
function CallRow({ place, call }: { readonly place: Place; readonly call: Call }): ReactNode {
  const { t } = useTranslation();
  const { requestId, createdTime, path, keyVersion, resultCode, durationMs } = call;
  const docs = `${gatewayOf(place.environment)?.url ?? ""}/docs/results#${resultCode}`;
  return (
    <li className="row row-three">
      <a className="row-sum" href={docs} target="_blank" rel="noreferrer">
        {resultCode}
      </a>
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
    </li>
  );
}
