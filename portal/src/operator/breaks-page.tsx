import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { actAsStaff } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { Empty } from "../shell/empty.tsx";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Sum } from "../shell/sum.tsx";
import { sumInWords } from "../shell/sum-in-words.ts";
import { ActButton } from "./act-button.tsx";
import { PageLink, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useWords } from "./use-words.ts";

type Break = Staff["breaks"]["response"]["breaks"][number];

/** Where records, ledger and wallets' files differ, what that means, and how it was explained. */
export function BreaksPage(): ReactNode {
  const { t } = useWords();
  const environment = useStaffEnvironment();
  const { data, error } = useStaff(environment, "breaks", {});
  return (
    <>
      <PageHead title={t("breaks.title")} lede={t("breaks.lede")} />
      <Failure error={error} />
      {data?.breaks.length === 0 && (
        <Empty icon="breaks" title={t("breaks.fineTitle")} lede={t("breaks.fine")} />
      )}
      {data && data.breaks.length > 0 && (
        <ul className="rows">
          {data.breaks.map((found) => (
            <li key={found.breakId}>
              <BreakCase found={found} environment={environment} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface Props {
  readonly found: Break;
  readonly environment: Environment;
}

function BreakCase({ found, environment }: Props): ReactNode {
  const { t } = useWords();
  const { kind, whatToDo, connector, subject, reference, paymentId, sums, closed, age, firstSeenAt } = found;
  const { assigned, writtenOff } = found;
  return (
    <div className="case" data-tone={closed ? undefined : "refused"}>
      <div className="case-words">
        <Group gap="xs">
          <Text fw={650}>{kind}</Text>
          <span className="status" data-tone={closed ? "happened" : "refused"}>
            {closed ? t(writtenOff ? "breaks.writtenOff" : "breaks.closed") : t("breaks.open")}
          </span>
          <span className="status">{age}</span>
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
        </Group>
        <Text size="sm" c="dimmed">
          {[connector, subject].filter(Boolean).join(" · ")} · <span className="id">{reference}</span>
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
          {assigned && (
            <>
              {" "}
              · {t("breaks.whose")} <span className="id">{assigned.to}</span>
            </>
          )}
        </Text>
        {closed && (
          <Text mt="xs">
            “{closed.reason}”{" "}
            <Text span size="sm" c="dimmed">
              <span className="id">{closed.by}</span>, <Moment at={closed.at} />
            </Text>
          </Text>
        )}
      </div>
      <BreakActs found={found} environment={environment} />
    </div>
  );
}

function BreakActs({ found, environment }: Props): ReactNode {
  const { t } = useWords();
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
  const { t } = useWords();
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

/** What money cannot put right has no such button. */
function WriteOff({ found: { breakId, reference, writeOff }, environment }: Props): ReactNode {
  const { t } = useWords();
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
