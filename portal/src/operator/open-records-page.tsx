import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { actAsStaff } from "../api/console-requests.ts";
import type { Environment } from "../api/environments.ts";
import type { Staff } from "../generated/staff.ts";
import { useCan } from "../session/me.ts";
import { QueryResult } from "../components/query-result.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { ActButton } from "./act-button.tsx";
import { PageLink, useStaffEnvironment } from "./operator-links.tsx";
import { useStaff } from "./use-staff.ts";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Board = Staff["openRecords"]["response"];
type OpenRecord = Board["records"][number];

/**
 * Records of all merchants without a final status: the party that must act next, the reason for waiting, and safe
 * actions.
 */
export function OpenRecordsPage(): ReactNode {
  const { t } = useConsoleTexts();
  const environment = useStaffEnvironment();
  const records = useStaff(environment, "openRecords", {});
  return (
    <>
      <PageHead title={t("board.title")} lede={t("board.lede")} />
      <QueryResult query={records}>
        {(board) => <Records board={board} environment={environment} />}
      </QueryResult>
      <Queues environment={environment} />
    </>
  );
}

function Records({
  board,
  environment,
}: {
  readonly board: Board;
  readonly environment: Environment;
}): ReactNode {
  const { t } = useConsoleTexts();
  const { openCount, stuckCount, heldCount, records } = board;
  if (openCount === 0) return <EmptyState icon="board" title={t("board.fineTitle")} lede={t("board.fine")} />;
  const hiddenCount = openCount - records.length;
  return (
    <>
      <div className="figures">
        <Figure number={stuckCount} label={t("board.stuck")} tone="refused" />
        <Figure number={heldCount} label={t("board.held")} tone="unknown" />
        <Figure number={openCount} label={t("board.open")} />
      </div>
      <ul className="rows">
        {records.map((record) => (
          <li key={`${record.kind} ${record.id}`}>
            <Case record={record} environment={environment} />
          </li>
        ))}
      </ul>
      {hiddenCount > 0 && (
        <Text c="dimmed" mt="sm">
          {t("board.more", { number: hiddenCount })}
        </Text>
      )}
    </>
  );
}

interface FigureProps {
  readonly number: number;
  readonly label: string;
  readonly tone?: "refused" | "unknown";
}

function Figure({ number, label, tone }: FigureProps): ReactNode {
  return (
    <div className="figure" data-tone={number > 0 ? tone : undefined}>
      <strong>{number}</strong>
      {label}
    </div>
  );
}

function Case({
  record,
  environment,
}: {
  readonly record: OpenRecord;
  readonly environment: Environment;
}): ReactNode {
  const { t } = useConsoleTexts();
  const { kind, id, clientId, status, isStuck, isHeld, owner, action, dueAt, attempts, steps } = record;
  const tone = isStuck ? "refused" : isHeld ? "unknown" : undefined;
  return (
    <div className="case" data-tone={tone}>
      <div className="case-words">
        <Text span fw={600}>
          {kind}{" "}
        </Text>
        <PageLink to={`/${environment}/payment`} of={id} className="id">
          {id}
        </PageLink>{" "}
        <span className="status" data-tone={tone}>
          {isStuck ? t("board.stuck") : isHeld ? t("board.held") : status}
        </span>
        <Text>
          {t(`board.move.${owner}`)} {action}
        </Text>
        <Waits record={record} />
        <Text size="sm" c="dimmed">
          <PageLink to={`/${environment}/merchants/${clientId}`} className="id">
            {clientId}
          </PageLink>{" "}
          · {t("board.since")} <Moment at={record.since} /> · {t("board.due")}{" "}
          {dueAt ? <Moment at={dueAt} /> : isHeld ? t("board.held") : t("board.inTurn")} ·{" "}
          {t("board.attempts", { number: attempts })}
        </Text>
      </div>
      <div className="case-acts">
        {steps.map((step) => (
          <StepButton key={step} step={step} id={id} clientId={clientId} environment={environment} />
        ))}
      </div>
    </div>
  );
}

function Waits({ record: { waitsFor, isStuck, steps } }: { readonly record: OpenRecord }): ReactNode {
  const { t } = useConsoleTexts();
  if (isStuck && steps.length === 0) return <Text c="var(--refused)">{t("board.lost")}</Text>;
  if (!waitsFor) return undefined;
  const { connector, why } = waitsFor;
  return <Text c="var(--unknown)">{t(why === "silent" ? "board.silent" : "board.gone", { connector })}</Text>;
}

interface StepProps {
  readonly step: OpenRecord["steps"][number];
  readonly id: string;
  readonly clientId: string;
  readonly environment: Environment;
}

/** A button for a safe action on a record. */
export function StepButton({ step, id, clientId, environment }: StepProps): ReactNode {
  const { t } = useConsoleTexts();
  const isPermitted = useCan(environment)("jobs.retry");
  const act = (reason: string): Promise<unknown> =>
    step === "resend"
      ? actAsStaff(environment, step, { clientId, notificationId: id }, reason)
      : actAsStaff(environment, step, { id }, reason);
  return (
    <ActButton
      label={t(`steps.${step}.do`)}
      about={id}
      consequence={t(`steps.${step}.means`)}
      disabled={!isPermitted}
      act={act}
    />
  );
}

function Queues({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useConsoleTexts();
  const queues = useStaff(environment, "deliveryQueues", {});
  return (
    <section>
      <Title order={2} size="h4" mt="xl">
        {t("board.queues")}
      </Title>
      <QueryResult query={queues}>
        {(data) => <QueueList queues={data.queues} environment={environment} />}
      </QueryResult>
    </section>
  );
}

interface QueueListProps {
  readonly queues: Staff["deliveryQueues"]["response"]["queues"];
  readonly environment: Environment;
}

function QueueList({ queues, environment }: QueueListProps): ReactNode {
  const { t } = useConsoleTexts();
  return (
    <>
      <Text c="dimmed" mb="sm">
        {queues.length === 0 ? t("board.noQueues") : t("board.queuesLede")}
      </Text>
      {queues.length > 0 && (
        <ul className="rows">
          {queues.map(({ clientId, endpoint, waitingCount, oldestAt, pausedAt }) => (
            <li key={`${clientId} ${endpoint}`} className="case" data-tone={pausedAt ? "unknown" : undefined}>
              <div className="case-words">
                <span className="id">{endpoint}</span>
                <Text size="sm" c="dimmed">
                  <PageLink to={`/${environment}/merchants/${clientId}`} className="id">
                    {clientId}
                  </PageLink>
                  {oldestAt && (
                    <>
                      {" "}
                      · {t("board.since")} <Moment at={oldestAt} />
                    </>
                  )}
                </Text>
              </div>
              <div className="case-acts">
                {pausedAt && (
                  <span className="status" data-tone="unknown">
                    {t("board.paused")}
                  </span>
                )}
                <span className="status">{t("board.waiting", { number: waitingCount })}</span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
