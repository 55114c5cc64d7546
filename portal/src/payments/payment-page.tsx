import { Alert, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { SettlementBadge } from "../balance/settlement-badge.tsx";
import { WithClient } from "../clients/with-client.tsx";
import { DisputeRow } from "../disputes/dispute-row.tsx";
import { paymentTextNames, type Views } from "../generated/console.ts";
import { NotificationRow } from "../notifications/notification-row.tsx";
import { Facts } from "../components/facts.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor } from "../components/links.tsx";
import { formatMoment, Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Section } from "../components/section.tsx";
import { useTranslate, type Translate } from "../languages/use-translate.ts";
import { formatAmount } from "../components/format-amount.ts";
import { Sum } from "../components/sum.tsx";
import { useCan } from "../session/me.ts";
import { CancelPayment } from "./cancel-payment.tsx";
import { CapturePayment } from "./capture-payment.tsx";
import { buildCardFacts } from "./card-facts.ts";
import { FailureAfterSuccess, TransactionTime } from "./transaction-times.tsx";
import { transactionTones } from "./transaction-tones.ts";
import { RefundPayment, type Options } from "./refund-payment.tsx";
import { PaymentStatusBadge } from "../components/payment-status-badge.tsx";
import { Timeline } from "./timeline.tsx";

type PaymentView = Views["payment"]["response"];

const refetchInterval = intervalWhileActive(3_000);

export function PaymentPage(): ReactNode {
  const { t } = useTranslation();
  const { environment, paymentId } = useParams({ from: "/shell/$environment/payments/$paymentId" });
  return (
    <>
      <LinkAnchor to="/$environment/payments" params={{ environment }} size="sm" className="back">
        ← {t("payments.title")}
      </LinkAnchor>
      <PageHead title={t("payment.title")} lede={<span className="id">{paymentId}</span>} />
      <WithClient environment={environment}>{(scope) => <Payment scope={scope} id={paymentId} />}</WithClient>
    </>
  );
}

/** The payment, found by any id: its own, of a refund, of a dispute, or the merchant's. */
function Payment({ scope, id }: { readonly scope: ClientScope; readonly id: string }): ReactNode {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["payment", scope, id],
    queryFn: () => queryView(scope, "payment", { id }),
    refetchInterval,
  });
  if (query.error) return <Failure error={query.error} />;
  if (!query.data) return <Skeleton height={320} />;
  const { payment, timeline, planned, transactions, ledger, settledIn, notifications } = query.data;
  const { feeAmount, netAmount, paymentResultInfo } = query.data;
  return (
    <Stack gap="xl">
      <Summary scope={scope} payment={payment} charges={{ feeAmount, netAmount, paymentResultInfo }} />
      {transactions.length > 0 && <Transactions transactions={transactions} />}
      {settledIn.length > 0 && <SettledIn scope={scope} settledIn={settledIn} />}
      {timeline.some(({ kind }) => kind === "dispute") && <Disputes scope={scope} payment={payment} />}
      <Section title={t("payment.timeline")}>
        <Timeline timeline={timeline} planned={planned} ledger={ledger} />
      </Section>
      {notifications.length > 0 && (
        <Section title={t("payment.notifications")}>
          <ul className="rows">
            {notifications.map((each) => (
              <NotificationRow key={each.notificationId} scope={scope} notification={each} />
            ))}
          </ul>
        </Section>
      )}
    </Stack>
  );
}

interface Props {
  readonly scope: ClientScope;
  readonly payment: PaymentView["payment"];
}

type Charges = {
  readonly [Name in "feeAmount" | "netAmount" | "paymentResultInfo"]: PaymentView[Name] | undefined;
};

function Summary({ scope, payment, charges }: Props & { readonly charges: Charges }): ReactNode {
  const { t } = useTranslation();
  const { paymentId } = payment;
  const options = useQuery({
    queryKey: ["payment-options", scope, paymentId],
    queryFn: () => queryView(scope, "paymentOptions", { id: paymentId }),
    refetchInterval,
  });
  return (
    <section>
      <Group align="center" gap="sm" mb="sm">
        <Text className="big-sum">
          <Sum amount={payment.paymentAmount} />
        </Text>
        <PaymentStatusBadge status={payment.displayStatus} />
      </Group>
      <Text mb="md">
        {t(`paymentStatus.${payment.displayStatus}Means`)} <RemainingAmounts payment={payment} />
      </Text>
      <Notes payment={payment} />
      <Failure error={options.error} />
      {options.data && <Acts scope={scope} payment={payment} options={options.data} />}
      <Facts facts={buildFacts(payment, { ...options.data, ...charges }, useTranslate())} />
    </section>
  );
}

/** A cancel in progress, and an authorization hold that expired at the payment provider before its deadline. */
function Notes({ payment }: Pick<Props, "payment">): ReactNode {
  const { t, i18n } = useTranslation();
  const { paymentStatus, cancelRequestedTime, authExpiryTime, authReleaseTime } = payment;
  const isCancelling = cancelRequestedTime !== undefined && paymentStatus !== "CANCELLED";
  const hasLapsed =
    authExpiryTime !== undefined &&
    authReleaseTime !== undefined &&
    new Date(authReleaseTime) < new Date(authExpiryTime);
  const format = (at: string): string => formatMoment(at, i18n.language);
  const notes = [
    isCancelling && t("payment.cancelling", { time: format(cancelRequestedTime) }),
    hasLapsed && t("payment.lapsed", { time: format(authReleaseTime) }),
  ].filter((note) => note !== false);
  return notes.map((note) => (
    <Alert key={note} variant="light" mb="md" role="status">
      {note}
    </Alert>
  ));
}

/** Paid, returned and remaining amounts. Shows nothing if the full amount remains. */
function RemainingAmounts({ payment }: Pick<Props, "payment">): ReactNode {
  const { t, i18n } = useTranslation();
  const { displayStatus, capturedAmount, refundedAmount, disputedAmount, keptAmount } = payment;
  if (!capturedAmount || !keptAmount || capturedAmount.value === keptAmount.value) return undefined;
  const parts = [
    ["captured", capturedAmount],
    ["refunded", refundedAmount],
    [displayStatus === "DISPUTE_LOST" ? "lost" : "disputed", disputedAmount],
    ["kept", keptAmount],
  ] as const;
  const amountTexts = parts.flatMap(([name, amount]) =>
    amount ? [t(`payment.sums.${name}`, { sum: formatAmount(amount, i18n.language) })] : [],
  );
  return <strong>{amountTexts.join(" · ")}</strong>;
}

function Acts({ scope, payment, options }: Props & { readonly options: Options }): ReactNode {
  const { refund, capture, cancel } = options;
  const { paymentId, paymentStatus } = payment;
  const actionProps = { scope, paymentId };
  const paymentKind = paymentStatus !== "SUCCESS" ? "unpaid" : capture ? "held" : "paid";
  // An authorized payment can be refunded only after a capture.
  const isRefundOffered = refund && (!capture || payment.capturedAmount);
  return (
    <Group mb="lg" gap="sm">
      {capture && <CapturePayment {...actionProps} option={capture} />}
      {isRefundOffered && <RefundPayment {...actionProps} option={refund} />}
      {cancel && (
        <CancelPayment
          {...actionProps}
          option={cancel}
          paymentKind={paymentKind}
          isNothingLeft={payment.keptAmount?.value === "0"}
        />
      )}
    </Group>
  );
}

type Fact = readonly [string, ReactNode];

function buildFacts(
  payment: PaymentView["payment"],
  { refund, capture, feeAmount, netAmount, paymentResultInfo = {} }: Options & Charges,
  t: Translate,
): readonly Fact[] {
  const at = (time: string | undefined): ReactNode => time && <Moment at={time} />;
  const sum = (amount: PaymentView["payment"]["paymentAmount"]): ReactNode =>
    amount && <Sum amount={amount} />;
  const isUncaptured = capture && !payment.capturedAmount;
  return [
    ...paymentTextNames.map((name): Fact => [t(`payment.texts.${name}`), payment[name]]),
    [
      t("payment.id"),
      <span key="id" className="id">
        {payment.paymentId}
      </span>,
    ],
    [
      t("payment.request"),
      <span key="request" className="id">
        {payment.paymentRequestId}
      </span>,
    ],
    [t("payment.method"), payment.paymentMethodType],
    [t("payment.result"), payment.paymentResultCode],
    ...buildCardFacts(paymentResultInfo, t),
    [t("payment.made"), at(payment.paymentCreateTime)],
    [t("payment.paid"), at(payment.paymentTime)],
    [t("payment.captured"), capture && sum(payment.capturedAmount)],
    [t("payment.leftToCapture"), !capture?.whyNot && sum(capture?.left)],
    [t("payment.captureBy"), capture && !capture.whyNot && at(payment.authExpiryTime)],
    [t("payment.released"), at(payment.authReleaseTime)],
    [t("payment.refunded"), sum(payment.refundedAmount)],
    [t("payment.left"), !isUncaptured && sum(refund?.left)],
    [t("payment.disputed"), sum(payment.disputedAmount)],
    [t("payment.kept"), sum(payment.keptAmount)],
    [t("payment.fee"), sum(feeAmount)],
    [t("payment.net"), sum(netAmount)],
    [t("payment.cancelled"), at(payment.cancelTime)],
  ];
}

/** Captures, refunds and cancels of the payment. */
function Transactions({ transactions }: Pick<PaymentView, "transactions">): ReactNode {
  const { t } = useTranslation();
  return (
    <Section title={t("payment.transactions")}>
      <ul className="rows">
        {transactions.map((each) => (
          <li key={each.transactionId} className="row">
            <span className="row-sum">
              <Sum amount={each.transactionAmount} />
            </span>
            <span className="status" data-tone={transactionTones[each.transactionStatus]}>
              {t(`lists.moved.${each.transactionStatus}`)}
            </span>
            <span className="row-what">
              {t(`payment.transaction.${each.transactionType}`)}
              {each.transactionStatus === "FAIL" && ` · ${each.transactionResultCode}`}
              <FailureAfterSuccess
                succeededTime={each.transactionTime}
                reversalTime={each.transactionReversalTime}
              />
              <small className="id">{each.transactionRequestId}</small>
            </span>
            <span className="row-when">
              <TransactionTime
                status={each.transactionStatus}
                createdTime={each.createdTime}
                time={each.transactionReversalTime ?? each.transactionTime}
              />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The payouts that contain the payment or its refunds. */
function SettledIn({
  scope: { environment },
  settledIn,
}: Pick<PaymentView, "settledIn"> & Pick<Props, "scope">): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan(environment)("balance.read");
  return (
    <Section title={t("lists.settlement.settledIn")}>
      <ul className="rows">
        {settledIn.map((batch) => (
          <li key={batch.batchId} className="row">
            <span className="row-sum">{batch.toDay}</span>
            <SettlementBadge settlement={batch} />
            <span className="row-what">
              {isPermitted ? (
                <LinkAnchor
                  to="/$environment/balance/$batchId"
                  params={{ environment, batchId: batch.batchId }}
                  className="id"
                >
                  {batch.batchId}
                </LinkAnchor>
              ) : (
                <span className="id">{batch.batchId}</span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Disputes({ scope, payment: { paymentId } }: Props): ReactNode {
  const { t } = useTranslation();
  const disputes = useQuery({
    queryKey: ["disputes-of", scope, paymentId],
    queryFn: () => queryView(scope, "disputes", { paymentId }),
    refetchInterval,
  });
  return (
    <Section title={t("payment.disputes")}>
      <Failure error={disputes.error} />
      <ul className="rows">
        {disputes.data?.disputes.map((each) => (
          <DisputeRow key={each.disputeId} scope={scope} dispute={each} />
        ))}
      </ul>
    </Section>
  );
}
