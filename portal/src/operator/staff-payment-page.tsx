import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { PaymentStatusBadge } from "../components/payment-status-badge.tsx";
import { QueryResult } from "../components/query-result.tsx";
import { Facts } from "../components/facts.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Sum } from "../components/sum.tsx";
import { SearchField } from "../components/search-field.tsx";
import { useTranslate } from "../languages/use-translate.ts";
import { buildCardFacts } from "../payments/card-facts.ts";
import { StepButton } from "./open-records-page.tsx";
import { PageLink, useSearchText, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type PaymentView = Staff["payment"]["response"];

/** A payment, found by any of its ids, with its timeline and scheduled jobs. */
export function StaffPaymentPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const { searchText, onSearch } = useSearchText();
  return (
    <>
      <PageHead title={t("payment.title")} lede={t("payment.lede")} />
      <SearchField
        label={t("payment.id")}
        buttonLabel={t("payment.find")}
        searchText={searchText}
        onSearch={onSearch}
      />
      {searchText && <SearchResult id={searchText} environment={environment} />}
    </>
  );
}

function SearchResult({
  id,
  environment,
}: {
  readonly id: string;
  readonly environment: Environment;
}): ReactNode {
  const payment = useStaff(environment, "payment", { id });
  return (
    <QueryResult query={payment}>
      {(found) => (
        <>
          <PaymentFacts found={found} environment={environment} />
          <Planned found={found} environment={environment} />
          <History found={found} />
        </>
      )}
    </QueryResult>
  );
}

interface PaymentProps {
  readonly found: PaymentView;
  readonly environment: Environment;
}

function PaymentFacts({ found: { payment }, environment }: PaymentProps): ReactNode {
  const { t } = useConsoleTexts();
  const { t: shared } = useTranslation();
  const translate = useTranslate();
  const { captured, refunded, disputed, kept, providerFee } = payment;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [t("payment.order"), payment.referenceOrderId],
    [
      t("payment.merchant"),
      <PageLink key="merchant" to={`/${environment}/merchants/${payment.clientId}`} className="id">
        {payment.clientId}
      </PageLink>,
    ],
    [
      t("payment.request"),
      <span key="request" className="id">
        {payment.paymentRequestId}
      </span>,
    ],
    [t("payment.provider"), [payment.paymentMethodType, payment.connector].filter(Boolean).join(" · ")],
    [
      t("payment.reference"),
      <span key="reference" className="id">
        {payment.providerReference}
      </span>,
    ],
    [shared("payment.captured"), captured && <Sum amount={captured} />],
    [shared("payment.refunded"), refunded && <Sum amount={refunded} />],
    [shared("payment.disputed"), disputed && <Sum amount={disputed} />],
    [shared("payment.kept"), kept && <Sum amount={kept} />],
    ...buildCardFacts(payment.paymentResultInfo ?? {}, translate),
    [t("payment.providerFee"), providerFee && <Sum amount={providerFee} />],
    [t("payment.valueDate"), payment.valueDate],
    [t("payment.created"), <Moment key="created" at={payment.createdAt} />],
    [t("payment.expires"), payment.expiresAt && <Moment key="expires" at={payment.expiresAt} />],
  ];
  return (
    <>
      <Group gap="md" mb="md">
        <span className="big-sum">
          <Sum amount={payment.amount} />
        </span>
        <PaymentStatusBadge status={payment.displayStatus} />
        <span className="status">{payment.status}</span>
        <span className="status">{payment.resultCode}</span>
      </Group>
      <Facts facts={facts} />
    </>
  );
}

function Planned({ found: { jobs, payment }, environment }: PaymentProps): ReactNode {
  const { t } = useConsoleTexts();
  return (
    <>
      <Title order={2} size="h4" mt="xl" mb="sm">
        {t("payment.planned")}
      </Title>
      {jobs.length === 0 ? (
        <Text c="dimmed">{t("payment.nothing")}</Text>
      ) : (
        <ul className="rows">
          {jobs.map(({ job, action, subjectId, dueAt, attempts, lastWord, steps }) => (
            <li key={`${job} ${subjectId}`} className="case">
              <div className="case-words">
                <Text fw={600}>{action}</Text>
                <Text size="sm" c="dimmed">
                  <span className="id">{subjectId}</span> · {t("board.due")}{" "}
                  {dueAt ? (
                    <Moment at={dueAt} />
                  ) : (
                    t(steps.includes("release") ? "board.held" : "board.inTurn")
                  )}{" "}
                  · {t("board.attempts", { number: attempts })}{" "}
                  {lastWord && t("payment.lastWord", { word: lastWord })}
                </Text>
              </div>
              <div className="case-acts">
                {steps.map((step) => (
                  <StepButton
                    key={step}
                    step={step}
                    id={subjectId}
                    clientId={payment.clientId}
                    environment={environment}
                  />
                ))}
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function History({ found: { timeline } }: Pick<PaymentProps, "found">): ReactNode {
  const { t } = useConsoleTexts();
  return (
    <>
      <Title order={2} size="h4" mt="xl" mb="sm">
        {t("payment.history")}
      </Title>
      <ol className="timeline">
        {timeline.map(({ at, kind, subjectId, what, detail, amount }, index) => (
          // Entries of the timeline have no id and are only appended, so the index is part of the React key.
          <li key={`${at} ${index}`} data-kind={kind}>
            <Text>
              <Text span fw={600}>
                {kind}
              </Text>{" "}
              {what} <Sum amount={amount} />
            </Text>
            <Moment at={at} />
            <div className="timeline-detail">
              {detail} <span className="id">{subjectId}</span>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
