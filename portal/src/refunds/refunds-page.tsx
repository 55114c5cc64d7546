import { Stack } from "@mantine/core";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { FailureAfterSuccess, TransactionTime } from "../payments/transaction-times.tsx";
import { transactionStatuses, transactionTones } from "../payments/transaction-tones.ts";
import { EmptyList } from "../components/empty-list.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { StatusFilter } from "../components/status-filter.tsx";
import { Sum } from "../components/sum.tsx";

type Refund = Views["refunds"]["response"]["refunds"][number];

export function RefundsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/refunds" });
  return (
    <>
      <PageHead title={t("lists.refunds.title")} lede={t("lists.refunds.lede")} />
      <WithClient environment={environment}>{(scope) => <Refunds scope={scope} />}</WithClient>
    </>
  );
}

function Refunds({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const { refundStatus } = useSearch({ from: "/shell/$environment/refunds" });
  const pages = usePages(scope, "refunds", refundStatus ? { refundStatus } : {});
  const refunds = pages.data?.pages.flatMap((page) => page.refunds) ?? [];
  return (
    <Stack>
      <StatusFilter
        label={t("lists.status")}
        name="refundStatus"
        value={refundStatus}
        choices={transactionStatuses.map((value) => ({ value, label: t(`lists.moved.${value}`) }))}
      />
      <PagedList
        pages={pages}
        rows={refunds.map((each) => (
          <RefundRow key={each.refundId} scope={scope} refund={each} />
        ))}
        empty={
          <EmptyList
            icon="refunds"
            title={t("lists.refunds.noneTitle")}
            lede={t("lists.refunds.none")}
            isFiltered={refundStatus !== undefined}
          />
        }
      />
    </Stack>
  );
}

function RefundRow({
  scope: { environment },
  refund,
}: {
  readonly scope: ClientScope;
  readonly refund: Refund;
}): ReactNode {
  const { t } = useTranslation();
  const { paymentId, refundStatus: status, refundResultCode, refundReason, refundRequestId } = refund;
  const { createdTime, refundTime, refundReversalTime } = refund;
  return (
    <li>
      <Link className="row" to="/$environment/payments/$paymentId" params={{ environment, paymentId }}>
        <span className="row-sum">
          <Sum amount={refund.refundAmount} />
        </span>
        <span className="status" data-tone={transactionTones[status]}>
          {t(`lists.moved.${status}`)}
        </span>
        <span className="row-what">
          {status === "FAIL" ? refundResultCode : refundReason}
          <FailureAfterSuccess succeededTime={refundTime} reversalTime={refundReversalTime} />
          <small className="id">{refundRequestId}</small>
        </span>
        <span className="row-when">
          <TransactionTime status={status} createdTime={createdTime} time={createdTime} />
        </span>
      </Link>
    </li>
  );
}
