import { Box, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { actAsStaff } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import { useNames, insertNames } from "../audit/use-audit.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan, useMe } from "../session/me.ts";
import { QueryResult } from "../components/query-result.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Facts } from "../components/facts.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SearchField } from "../components/search-field.tsx";
import { Sum } from "../components/sum.tsx";
import { formatAmount } from "../components/format-amount.ts";
import { parseReference } from "../shell/typed-reference.ts";
import { ActButton } from "./act-button.tsx";
import { PageLink, useSearchText, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Break = Staff["breaks"]["response"]["breaks"][number];

/** Breaks between records, ledger, settlement files and bank statements, with their meaning and explanation. */
export function BreaksPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const { searchText, onSearch } = useSearchText();
  const breaks = useStaff(environment, "breaks", {});
  return (
    <>
      <PageHead title={t("breaks.title")} lede={t("breaks.lede")} />
      <QueryResult query={breaks}>
        {(data) => (
          <>
            {data.lastRun && (
              <Box mb="lg">
                <LastRun run={data.lastRun} />
              </Box>
            )}
            <AgedBreaks aged={data.aged} />
            {(data.breaks.length > 0 || searchText) && (
              <SearchField
                label={t("breaks.find")}
                buttonLabel={t("payment.find")}
                searchText={searchText}
                onSearch={onSearch}
              />
            )}
            <SearchResult data={data} searchText={searchText} environment={environment} />
          </>
        )}
      </QueryResult>
    </>
  );
}

interface SearchResultProps {
  readonly data: Staff["breaks"]["response"];
  readonly searchText: string | undefined;
  readonly environment: Environment;
}

/** An empty list shows whether a reconciliation ever ran. */
function SearchResult({ data, searchText, environment }: SearchResultProps): ReactNode {
  const { t } = useConsoleTexts();
  const matches = data.breaks.filter(
    (found) => searchText === undefined || searchableNames(found).includes(searchText),
  );
  if (matches.length > 0) return <BreakList breaks={matches} environment={environment} />;
  if (searchText) return <EmptyState icon="breaks" title={t("breaks.noneFit")} lede={t("breaks.gone")} />;
  const textKey = data.lastRun ? "fine" : "never";
  return <EmptyState icon="breaks" title={t(`breaks.${textKey}Title`)} lede={t(`breaks.${textKey}`)} />;
}

/** The time of the last reconciliation, and its providers, days and files. */
function LastRun({ run }: { readonly run: NonNullable<Staff["breaks"]["response"]["lastRun"]> }): ReactNode {
  const { t } = useConsoleTexts();
  const { ranAt, connector, day, providerFiles, bankFileCount } = run;
  return (
    <Facts
      facts={[
        [
          t("breaks.lastRun"),
          <span key="run">
            <Moment at={ranAt} /> · {connector ?? t("breaks.allProviders")} · {day ?? t("breaks.allDays")}
          </span>,
        ],
        [
          t("breaks.providerFiles"),
          providerFiles.length === 0
            ? t("breaks.noProviderFiles")
            : providerFiles.map((each) => (
                <div key={each.connector}>
                  {t("breaks.providerUntil", { connector: each.connector, number: each.fileCount })}{" "}
                  <Moment at={each.until} />
                  {each.newestFile && <div className="id">{each.newestFile}</div>}
                </div>
              )),
        ],
        [t("breaks.bankFiles"), bankFileCount === 0 ? t("breaks.noBankFiles") : String(bankFileCount)],
      ]}
    />
  );
}

function searchableNames({ breakId, reference, paymentId }: Break): readonly (string | undefined)[] {
  return [String(breakId), reference, paymentId];
}

/** Open breaks by currency and age. */
function AgedBreaks({ aged }: Pick<Staff["breaks"]["response"], "aged">): ReactNode {
  const { t } = useConsoleTexts();
  return aged.map(({ currency, sums }) => (
    <section key={currency} className="figures" aria-label={`${t("breaks.aged")}: ${currency}`}>
      {sums.map(({ age, count, sum }) => (
        <div key={age} className="figure figure-wide" data-tone={count > 0 ? "refused" : undefined}>
          <strong>{count}</strong>
          <Sum amount={sum} /> · {age}
        </div>
      ))}
    </section>
  ));
}

interface ListProps {
  readonly breaks: readonly Break[];
  readonly environment: Environment;
}

function BreakList({ breaks, environment }: ListProps): ReactNode {
  const { t } = useConsoleTexts();
  const { person } = useMe();
  const names = useNames(breaks.flatMap(({ assigned, closed }) => [assigned?.to ?? "", closed?.by ?? ""]));
  const personName = (by: string): string =>
    by === person.personId ? t("breaks.you") : insertNames(by, names);
  return (
    <ul className="rows">
      {breaks.map((found) => (
        <li key={found.breakId}>
          <BreakCase found={found} environment={environment} personName={personName} />
        </li>
      ))}
    </ul>
  );
}

interface Props {
  readonly found: Break;
  readonly environment: Environment;
}

interface CaseProps extends Props {
  /** Resolves a person's id to a name. */
  readonly personName: (by: string) => string;
}

function BreakCase({ found, environment, personName }: CaseProps): ReactNode {
  const { t } = useConsoleTexts();
  const { breakId, kind, whatToDo, sums, difference, closed, age, writtenOff } = found;
  return (
    <div className="case" data-tone={closed ? undefined : "refused"}>
      <div className="case-words">
        <Group gap="xs">
          <Text fw={650}>{kind}</Text>
          <span className="status" data-tone={closed ? "happened" : "refused"}>
            {closed ? t(writtenOff ? "breaks.writtenOff" : "breaks.closed") : t("breaks.open")}
          </span>
          <span className="status">{age}</span>
          <Text span size="sm" c="dimmed">
            {t("breaks.number", { number: breakId })}
          </Text>
        </Group>
        <Text>{whatToDo}</Text>
        <Group gap="md" my={4}>
          {sums.map(({ of, sum }) => (
            <Text key={of} span>
              <Text span c="dimmed" size="sm">
                {t(`breaks.of.${of}` as "breaks.of.here")}{" "}
              </Text>
              <Sum amount={sum} />
            </Text>
          ))}
          <Text span fw={600}>
            <Text span c="dimmed" size="sm" fw={400}>
              {t("breaks.difference")}{" "}
            </Text>
            <Sum amount={difference} />
          </Text>
        </Group>
        <BreakTrail found={found} environment={environment} personName={personName} />
        {closed && (
          <Text mt="xs">
            “{closed.reason}”{" "}
            <Text span size="sm" c="dimmed">
              {personName(closed.by)}, <Moment at={closed.at} />
            </Text>
          </Text>
        )}
      </div>
      <BreakActs found={found} environment={environment} />
    </div>
  );
}

/** The payment, payout or file of the break, each with a link, its first day and its assignee. */
function BreakTrail({ found, environment, personName }: CaseProps): ReactNode {
  const { t } = useConsoleTexts();
  const { connector, subject, reference, paymentId, firstSeenAt, assigned } = found;
  const { isPayout } = parseReference(reference);
  return (
    <Text size="sm" c="dimmed">
      {[connector, subject].filter(Boolean).join(" · ")} ·{" "}
      {isPayout ? (
        <PageLink to={`/${environment}/payouts`} of={reference} className="id">
          {reference}
        </PageLink>
      ) : (
        <span className="id">{reference}</span>
      )}
      {paymentId && (
        <>
          {" "}
          ·{" "}
          <PageLink to={`/${environment}/payment`} of={paymentId} className="id">
            {paymentId}
          </PageLink>
        </>
      )}{" "}
      · {t("breaks.seen")} <Moment at={firstSeenAt} />
      {assigned && ` · ${t("breaks.whose")} ${personName(assigned.to)}`}
    </Text>
  );
}

function BreakActs({ found, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { breakId, reference, closed } = found;
  const disabled = !useCan(environment)("breaks.close");
  if (closed)
    return (
      <div className="case-acts">
        <ActButton
          label={t("breaks.reopen")}
          about={reference}
          consequence={t("breaks.reopenMeans")}
          disabled={disabled}
          act={(reason) => actAsStaff(environment, "reopenBreak", { breakId }, reason)}
        />
      </div>
    );
  return (
    <div className="case-acts">
      <Assign found={found} environment={environment} />
      <ActButton
        label={t("breaks.close")}
        about={reference}
        consequence={t("breaks.closeMeans")}
        disabled={disabled}
        act={(reason) => actAsStaff(environment, "closeBreak", { breakId }, reason)}
      />
      <WriteOff found={found} environment={environment} />
    </div>
  );
}

function Assign({ found: { breakId, reference, assigned }, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const disabled = !useCan(environment)("breaks.close");
  return assigned ? (
    <ActButton
      label={t("breaks.leave")}
      about={reference}
      consequence={t("breaks.leaveMeans")}
      disabled={disabled}
      act={(reason) => actAsStaff(environment, "assignBreak", { breakId, to: "" }, reason)}
    />
  ) : (
    <ActButton
      label={t("breaks.take")}
      about={reference}
      consequence={t("breaks.takeMeans")}
      disabled={disabled}
      act={(reason) => actAsStaff(environment, "assignBreak", { breakId }, reason)}
    />
  );
}

/** Breaks that a ledger entry cannot correct have no write-off button. */
function WriteOff({ found: { breakId, reference, writeOff }, environment }: Props): ReactNode {
  const { t } = useConsoleTexts();
  const { i18n } = useTranslation();
  const disabled = !useCan(environment)("breaks.write-off");
  if (!writeOff) return undefined;
  return (
    <ActButton
      label={t("breaks.writeOff")}
      about={reference}
      consequence={t("breaks.writeOffMeans", {
        sum: formatAmount(writeOff.sum, i18n.language),
        account: writeOff.account,
      })}
      isDestructive
      disabled={disabled}
      act={(reason) => actAsStaff(environment, "writeOffBreak", { breakId }, reason)}
    />
  );
}
