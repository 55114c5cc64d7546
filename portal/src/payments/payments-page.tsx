import { Button, Group, Stack } from "@mantine/core";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { Age } from "../components/age.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { formatAmount } from "../components/format-amount.ts";
import { Sum } from "../components/sum.tsx";
import { PaymentsFilterForm, usePaymentsFilter } from "./payments-filter.tsx";
import { SavePayments } from "./save-payments.tsx";
import { PaymentStatusBadge } from "../components/payment-status-badge.tsx";

type Payment = Views["payments"]["response"]["payments"][number];

export function PaymentsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/payments" });
  return (
    <>
      <PageHead title={t("payments.title")} lede={t("payments.lede")} />
      <WithClient environment={environment}>{(scope) => <Payments scope={scope} />}</WithClient>
    </>
  );
}

function Payments({ scope }: { readonly scope: ClientScope }): ReactNode {
  const filter = usePaymentsFilter();
  const pages = usePages(scope, "payments", filter);
  const payments = pages.data?.pages.flatMap((page) => page.payments) ?? [];
  return (
    <Stack>
      <PaymentsFilterForm />
      <Group justify="space-between">
        <Age seconds={pages.data?.pages[0]?.ageSeconds} />
        {payments.length > 0 && <SavePayments scope={scope} filter={filter} />}
      </Group>
      <PagedList
        pages={pages}
        rows={payments.map((payment) => (
          <PaymentRow key={payment.paymentId} scope={scope} payment={payment} />
        ))}
        empty={<NoPayments isFiltered={Object.keys(filter).length > 0} />}
      />
    </Stack>
  );
}

function PaymentRow({
  scope,
  payment,
}: {
  readonly scope: ClientScope;
  readonly payment: Payment;
}): ReactNode {
  const { t, i18n } = useTranslation();
  const { paymentId, paymentRequestId, referenceOrderId, orderDescription, capturedAmount, keptAmount } =
    payment;
  const isLess = keptAmount && keptAmount.value !== capturedAmount?.value;
  const { environment } = scope;
  return (
    <li>
      <Link to="/$environment/payments/$paymentId" params={{ environment, paymentId }} className="row">
        <span className="row-sum">
          <Sum amount={payment.paymentAmount} />
        </span>
        <PaymentStatusBadge status={payment.displayStatus} />
        <span className="row-what">
          {orderDescription ?? paymentRequestId}
          {referenceOrderId && <small className="id">{referenceOrderId}</small>}
          {payment.paymentMethodType && <small>{payment.paymentMethodType}</small>}
          {isLess && <small>{t("payment.keptOf", { sum: formatAmount(keptAmount, i18n.language) })}</small>}
        </span>
        <span className="row-when">
          <Moment at={payment.paymentCreateTime} />
        </span>
      </Link>
    </li>
  );
}

/** The empty state of the list, with or without a filter. */
function NoPayments({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  if (!isFiltered)
    return <EmptyState icon="payments" title={t("payments.noneTitle")} lede={t("payments.none")} />;
  return (
    <EmptyState icon="search" title={t("payments.noneFitTitle")} lede={t("payments.noneFit")}>
      <Button variant="default" onClick={() => void navigate({ to: ".", search: {} })}>
        {t("payments.showAll")}
      </Button>
    </EmptyState>
  );
}
