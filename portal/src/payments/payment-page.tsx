import { Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { whileAttended } from "../api/attention.ts";
import { askView, type Place } from "../api/console.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { NotificationRow } from "../notifications/notification-row.tsx";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Sum } from "../shell/sum.tsx";
import { Refund } from "./refund.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { LinkAnchor } from "../shell/links.tsx";

type Shown = Views["payment"]["response"];

export function PaymentPage(): ReactNode {
  const { t } = useTranslation();
  const { environment, paymentId } = useParams({ from: "/shell/$environment/payments/$paymentId" });
  return (
    <>
      <LinkAnchor to="/$environment/payments" params={{ environment }} size="sm">
        ← {t("payments.title")}
      </LinkAnchor>
      <PageHead title={t("payment.title")} lede={<span className="id">{paymentId}</span>} />
      <WithClient environment={environment}>{(place) => <Payment place={place} id={paymentId} />}</WithClient>
    </>
  );
}

function Payment({ place, id }: { readonly place: Place; readonly id: string }): ReactNode {
  const { t } = useTranslation();
  const shown = useQuery({
    queryKey: ["payment", place, id],
    queryFn: () => askView(place, "payment", { id }),
    refetchInterval: whileAttended(3_000),
  });
  if (shown.error) return <Failure error={shown.error} />;
  if (!shown.data) return <Skeleton height={320} />;
  const { payment, timeline, planned, ledger, notifications } = shown.data;
  return (
    <Stack gap="xl">
      <Summary place={place} payment={payment} />
      <section>
        <Title order={2} size="h4" mb="sm">
          {t("payment.timeline")}
        </Title>
        <Timeline timeline={timeline} planned={planned} />
      </section>
      {ledger.length > 0 && <Ledger ledger={ledger} />}
      {notifications.length > 0 && <Notifications place={place} notifications={notifications} />}
    </Stack>
  );
}

function Summary({ place, payment }: Pick<Shown, "payment"> & { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  const facts = [
    ["request", payment.paymentRequestId],
    ["method", payment.paymentMethodType],
    ["description", payment.orderDescription],
    ["result", payment.paymentResultCode],
    ["made", <Moment key="made" at={payment.paymentCreateTime} />],
    ["paid", payment.paymentTime && <Moment key="paid" at={payment.paymentTime} />],
    ["refunded", payment.refundedAmount && <Sum key="refunded" amount={payment.refundedAmount} />],
    ["disputed", payment.disputedAmount && <Sum key="disputed" amount={payment.disputedAmount} />],
  ] as const;
  return (
    <section>
      <Group align="center" gap="sm" mb="sm">
        <Text className="big-sum">
          <Sum amount={payment.paymentAmount} />
        </Text>
        <StatusBadge status={payment.paymentStatus} />
        <Refund place={place} payment={payment} />
      </Group>
      <Text mb="md">{t(`paymentStatus.${payment.paymentStatus}Means`)}</Text>
      <dl className="facts">
        {facts.map(
          ([word, fact]) =>
            fact && (
              <div key={word}>
                <dt>{t(`payment.${word}`)}</dt>
                <dd>{fact}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

/** What happened, and below it what is still to come. */
function Timeline({ timeline, planned }: Pick<Shown, "timeline" | "planned">): ReactNode {
  const { t } = useTranslation();
  return (
    <ol className="timeline">
      {timeline.map((item, index) => (
        // Two things may happen to a record in the same millisecond.
        <li key={`${item.time} ${item.subjectId} ${index}`} data-kind={item.kind}>
          <div>
            <strong>{t(`timeline.${item.kind}`)}</strong> <code>{item.what}</code>{" "}
            <Sum amount={item.amount} />
          </div>
          {item.detail && <div className="timeline-detail">{item.detail}</div>}
          <Moment at={item.time} />
        </li>
      ))}
      {planned.map(({ job, subjectId, dueTime, attempts }) => (
        <li key={`${job} ${subjectId}`} data-kind="planned">
          <div>
            <strong>{t("timeline.planned")}</strong> <code>{job}</code>
          </div>
          <div className="timeline-detail">{t("timeline.attempts", { number: attempts })}</div>
          {dueTime && <Moment at={dueTime} />}
        </li>
      ))}
    </ol>
  );
}

function Ledger({ ledger }: Pick<Shown, "ledger">): ReactNode {
  const { t } = useTranslation();
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("payment.ledger")}
      </Title>
      <Table.ScrollContainer minWidth={560}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("ledger.effect")}</Table.Th>
              <Table.Th>{t("ledger.debit")}</Table.Th>
              <Table.Th>{t("ledger.credit")}</Table.Th>
              <Table.Th ta="right">{t("ledger.amount")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ledger.map(({ subjectId, effect, debitAccount, creditAccount, amount }, index) => (
              <Table.Tr key={`${subjectId} ${effect} ${index}`}>
                <Table.Td>{effect}</Table.Td>
                <Table.Td className="id">{debitAccount}</Table.Td>
                <Table.Td className="id">{creditAccount}</Table.Td>
                <Table.Td ta="right">
                  <Sum amount={amount} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}

function Notifications({
  place,
  notifications,
}: Pick<Shown, "notifications"> & { readonly place: Place }): ReactNode {
  const { t } = useTranslation();
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("payment.notifications")}
      </Title>
      <ul className="rows">
        {notifications.map((each) => (
          <NotificationRow key={each.notificationId} place={place} notification={each} />
        ))}
      </ul>
    </section>
  );
}
