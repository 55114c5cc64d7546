import { Box, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { actAsStaff } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import { useNames, withNames } from "../audit/use-audit.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan, useMe } from "../session/me.ts";
import { Answer } from "../components/answer.tsx";
import { Empty } from "../components/empty.tsx";
import { Facts } from "../components/facts.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Seek } from "../components/search-field.tsx";
import { Sum } from "../components/sum.tsx";
import { sumInWords } from "../components/format-amount.ts";
import { referenceIn } from "../shell/typed-reference.ts";
import { ActButton } from "./act-button.tsx";
import { PageLink, useSought, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Break = Staff["breaks"]["response"]["breaks"][number];

/** Breaks between records, ledger, settlement files and bank statements, with their meaning and explanation. */
export function BreaksPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const { sought, seek } = useSought();
  const breaks = useStaff(environment, "breaks", {});
  return (
    <>
      <PageHead title={t("breaks.title")} lede={t("breaks.lede")} />
      <Answer of={breaks}>
        {(data) => (
          <>
            {data.lastRun && (
              <Box mb="lg">
                <LastRun run={data.lastRun} />
              </Box>
            )}
            <AgedBreaks aged={data.aged} />
            {(data.breaks.length > 0 || sought) && (
              <Seek label={t("breaks.find")} go={t("payment.find")} sought={sought} seek={seek} />
            )}
            <Sought data={data} sought={sought} environment={environment} />
          </>
        )}
      </Answer>
    </>
  );
}

interface SoughtProps {
  readonly data: Staff["breaks"]["response"];
  readonly sought: string | undefined;
  readonly environment: Environment;
}

/** An empty list shows whether a reconciliation ever ran. */
function Sought({ data, sought, environment }: SoughtProps): ReactNode {
  const { t } = useConsoleTexts();
  const shown = data.breaks.filter((found) => sought === undefined || namesOf(found).includes(sought));
  if (shown.length > 0) return <BreakList breaks={shown} environment={environment} />;
  if (sought) return <Empty icon="breaks" title={t("breaks.noneFit")} lede={t("breaks.gone")} />;
  const word = data.lastRun ? "fine" : "never";
  return <Empty icon="breaks" title={t(`breaks.${word}Title`)} lede={t(`breaks.${word}`)} />;
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

function namesOf({ breakId, reference, paymentId }: Break): readonly (string | undefined)[] {
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
  const nameOf = (by: string): string => (by === person.personId ? t("breaks.you") : withNames(by, names));
  return (
    <ul className="rows">
      {breaks.map((found) => (
        <li key={found.breakId}>
          <BreakCase found={found} environment={environment} nameOf={nameOf} />
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
  readonly nameOf: (by: string) => string;
}

function BreakCase({ found, environment, nameOf }: CaseProps): ReactNode {
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
        <BreakTrail found={found} environment={environment} nameOf={nameOf} />
        {closed && (
          <Text mt="xs">
            “{closed.reason}”{" "}
            <Text span size="sm" c="dimmed">
              {nameOf(closed.by)}, <Moment at={closed.at} />
            </Text>
          </Text>
        )}
      </div>
      <BreakActs found={found} environment={environment} />
    </div>
  );
}

/** The payment, payout or file of the break, each with a link, its first day and its assignee. */
function BreakTrail({ found, environment, nameOf }: CaseProps): ReactNode {
  const { t } = useConsoleTexts();
  const { connector, subject, reference, paymentId, firstSeenAt, assigned } = found;
  const { isPayout } = referenceIn(reference);
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
      {assigned && ` · ${t("breaks.whose")} ${nameOf(assigned.to)}`}
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
          means={t("breaks.reopenMeans")}
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
        means={t("breaks.closeMeans")}
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
      means={t("breaks.leaveMeans")}
      disabled={disabled}
      act={(reason) => actAsStaff(environment, "assignBreak", { breakId, to: "" }, reason)}
    />
  ) : (
    <ActButton
      label={t("breaks.take")}
      about={reference}
      means={t("breaks.takeMeans")}
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
      means={t("breaks.writeOffMeans", {
        sum: sumInWords(writeOff.sum, i18n.language),
        account: writeOff.account,
      })}
      isGrave
      disabled={disabled}
      act={(reason) => actAsStaff(environment, "writeOffBreak", { breakId }, reason)}
    />
  );
}
