import { Stack } from "@mantine/core";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { TransactionTime } from "../payments/transaction-times.tsx";
import { transactionStatuses, transactionTones } from "../payments/transaction-tones.ts";
import { EmptyList } from "../components/empty-list.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { StatusFilter } from "../components/status-filter.tsx";
import { Sum } from "../components/sum.tsx";

type Capture = Views["captures"]["response"]["captures"][number];

export function CapturesPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/captures" });
  return (
    <>
      <PageHead title={t("lists.captures.title")} lede={t("lists.captures.lede")} />
      <WithClient environment={environment}>{(scope) => <Captures scope={scope} />}</WithClient>
    </>
  );
}

function Captures({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const { captureStatus } = useSearch({ from: "/shell/$environment/captures" });
  const pages = usePages(scope, "captures", captureStatus ? { captureStatus } : {});
  const captures = pages.data?.pages.flatMap((page) => page.captures) ?? [];
  return (
    <Stack>
      <StatusFilter
        label={t("lists.status")}
        name="captureStatus"
        value={captureStatus}
        choices={transactionStatuses.map((value) => ({ value, label: t(`lists.moved.${value}`) }))}
      />
      <PagedList
        pages={pages}
        rows={captures.map((each) => (
          <CaptureRow key={each.captureId} scope={scope} capture={each} />
        ))}
        empty={
          <EmptyList
            icon="captures"
            title={t("lists.captures.noneTitle")}
            lede={t("lists.captures.none")}
            isFiltered={captureStatus !== undefined}
          />
        }
      />
    </Stack>
  );
}

interface RowProps {
  readonly scope: ClientScope;
  readonly capture: Capture;
}

function CaptureRow({ scope: { environment }, capture }: RowProps): ReactNode {
  const { t } = useTranslation();
  const { paymentId, captureStatus: status, captureRequestId, isLastCapture, createdTime } = capture;
  return (
    <li>
      <Link className="row" to="/$environment/payments/$paymentId" params={{ environment, paymentId }}>
        <span className="row-sum">
          <Sum amount={capture.captureAmount} />
        </span>
        <span className="status" data-tone={transactionTones[status]}>
          {t(`lists.moved.${status}`)}
        </span>
        <span className="row-what">
          {status === "FAIL" && capture.captureResultCode}
          {isLastCapture && t("lists.captures.isLast")}
          <small className="id">{captureRequestId}</small>
        </span>
        <span className="row-when">
          <TransactionTime status={status} createdTime={createdTime} time={createdTime} />
        </span>
      </Link>
    </li>
  );
}
