import { Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { QueryResult } from "../components/query-result.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Facts } from "../components/facts.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Section } from "../components/section.tsx";
import { SearchField } from "../components/search-field.tsx";
import { Sum } from "../components/sum.tsx";
import { parseReference } from "../shell/typed-reference.ts";
import { PageLink, useSearchText, useStaffEnvironment } from "./operator-links.tsx";
import { PayoutHold } from "./payout-hold.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Payout = Staff["payouts"]["response"]["payouts"][number];

/**
 * Payouts by the reference on a bank statement, with bank entries and discrepancies, and merchants whose payouts are
 * on hold.
 */
export function PayoutsPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const { searchText, onSearch } = useSearchText();
  const reference = searchText === undefined ? {} : { reference: parseReference(searchText).id };
  const payouts = useStaff(environment, "payouts", reference);
  return (
    <>
      <PageHead title={t("payouts.title")} lede={t("payouts.lede")} />
      <SearchField
        label={t("payouts.reference")}
        buttonLabel={t("payment.find")}
        searchText={searchText}
        onSearch={onSearch}
      />
      <QueryResult query={payouts}>
        {(data) => <SearchResult data={data} environment={environment} />}
      </QueryResult>
    </>
  );
}

interface SearchResultProps {
  readonly data: Staff["payouts"]["response"];
  readonly environment: Environment;
}

function SearchResult({ data, environment }: SearchResultProps): ReactNode {
  const { t } = useConsoleTexts();
  return (
    <Stack gap="xl">
      {data.holds.length > 0 && (
        <Section title={t("payouts.holds")}>
          <ul className="rows">
            {data.holds.map((hold) => (
              <li key={hold.clientId} className="row row-acts">
                <div className="row-what">
                  <div>
                    <PageLink to={`/${environment}/merchants/${hold.clientId}`} className="id">
                      {hold.clientId}
                    </PageLink>
                  </div>
                  <PayoutHold {...hold} />
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {data.payouts.length === 0 && (
        <EmptyState icon="balance" title={t("payouts.noneTitle")} lede={t("payouts.none")} />
      )}
      {data.payouts.length > 0 && (
        <ul className="rows">
          {data.payouts.map((payout) => (
            <li key={payout.payoutId}>
              <PayoutCase payout={payout} environment={environment} />
            </li>
          ))}
        </ul>
      )}
    </Stack>
  );
}

const tones = {
  CREATED: "unknown",
  SENT: "unknown",
  PAID: "happened",
  FAILED: "refused",
  RETURNED: "refused",
} as const;

interface Props {
  readonly payout: Payout;
  readonly environment: Environment;
}

function PayoutCase({ payout, environment }: Props): ReactNode {
  const { t } = useTranslation();
  const { status, reasonCode, breaks } = payout;
  const isOpen = breaks.some(({ isClosed }) => !isClosed);
  return (
    <div className="case" data-tone={isOpen ? "refused" : undefined}>
      <div className="case-words">
        <Group gap="xs" mb="xs">
          <Text fw={650}>
            <Sum amount={payout.amount} />
          </Text>
          <span className="status" data-tone={tones[status]}>
            {t(`lists.settlement.payout.${status}`)}
          </span>
          {reasonCode && <span className="status">{reasonCode}</span>}
        </Group>
        <PayoutFacts payout={payout} environment={environment} />
      </div>
    </div>
  );
}

function PayoutFacts({ payout, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { clientId, payoutId, batchId, fileId, holder, ibanShown, lines, breaks } = payout;
  const { createdAt, sentAt, finishedAt } = payout;
  const id = (text: string): ReactNode => <span className="id">{text}</span>;
  const at = (time: string | undefined): ReactNode => time && <Moment at={time} />;
  return (
    <Facts
      facts={[
        [
          t("payment.merchant"),
          <PageLink key="merchant" to={`/${environment}/merchants/${clientId}`} className="id">
            {clientId}
          </PageLink>,
        ],
        [t("payouts.id"), id(payoutId)],
        [
          t("payouts.batch"),
          <PageLink key="batch" to={`/${environment}/payouts`} of={batchId} className="id">
            {batchId}
          </PageLink>,
        ],
        [t("payouts.to"), `${holder} ${ibanShown}`],
        [t("payouts.file"), fileId && id(fileId)],
        [t("payouts.made"), at(createdAt)],
        [t("payouts.sent"), at(sentAt)],
        [t("payouts.ended"), at(finishedAt)],
        [t("payouts.lines"), lines.length > 0 ? lines.map(bankLine) : t("payouts.noLines")],
        [
          t("payouts.breaks"),
          breaks.length > 0 &&
            breaks.map(({ breakId, kind }) => (
              <div key={breakId}>
                <PageLink to={`/${environment}/breaks`} of={String(breakId)}>
                  {kind}
                </PageLink>
              </div>
            )),
        ],
      ]}
    />
  );
}

function bankLine({ bank, entryReference, bookedAt, sum }: Payout["lines"][number]): ReactNode {
  return (
    <div key={`${bank} ${entryReference}`}>
      {bank} <Sum amount={sum} isSigned /> · <Moment at={bookedAt} />{" "}
      <span className="id">{entryReference}</span>
    </div>
  );
}
