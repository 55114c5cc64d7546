import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { actAsStaff } from "../api/console.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { Empty } from "../shell/empty.tsx";
import { Failure } from "../shell/failure.tsx";
import { Moment } from "../shell/moment.tsx";
import { PageHead } from "../shell/page-head.tsx";
import { Sum } from "../shell/sum.tsx";
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
  return (
    <div className="case" data-tone={closed ? undefined : "refused"}>
      <div className="case-words">
        <Group gap="xs">
          <Text fw={650}>{kind}</Text>
          <span className="status" data-tone={closed ? "happened" : "refused"}>
            {closed ? t("breaks.closed") : t("breaks.open")}
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

function BreakActs({ found: { breakId, reference, closed }, environment }: Props): ReactNode {
  const { t } = useWords();
  const disabled = !useCan(environment)("breaks.close");
  return (
    <div className="case-acts">
      {closed ? (
        <ActButton
          label={t("breaks.reopen")}
          about={reference}
          means={t("breaks.reopenMeans")}
          disabled={disabled}
          act={(reason) => actAsStaff(environment, "reopenBreak", { breakId }, reason)}
        />
      ) : (
        <ActButton
          label={t("breaks.close")}
          about={reference}
          means={t("breaks.closeMeans")}
          disabled={disabled}
          act={(reason) => actAsStaff(environment, "closeBreak", { breakId }, reason)}
        />
      )}
    </div>
  );
}
