import { setTimeout as waitMs } from "node:timers/promises";
import { countUnfinished, readDatabaseState, skipLongWaits } from "../oracle/database-state.ts";
import type { Answer, Verb } from "../oracle/history.ts";
import { database, type Merchant } from "../installation/installation.ts";
import { checkInvariants } from "../oracle/oracle.ts";
import { openTrial, payBody, type Trial } from "./trial.ts";
import { readProviderJournal } from "../oracle/provider-journal.ts";

/** A few payments with one fault, each at its worst moment; judged like the storm. */
export interface Scenario {
  readonly name: string;
  /** Runs the scenario. Afterwards the program waits until no record is open. */
  run(trial: Trial): Promise<void>;
}

const finalWithinMs = 30_000;
const paidWithinMs = 30_000;

/** Runs a scenario as a program, and exits with 1 if there is a finding. */
export async function runScenario({ name, run }: Scenario): Promise<never> {
  // Exit handlers stop all child processes, and these signals run them, too.
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  const trial = await openTrial();
  await run(trial);
  await waitUntilFinal(trial);
  const { installation, history } = trial;
  const processes = installation.processes();
  const findings = checkInvariants({
    history,
    databaseState: await readDatabaseState(installation.cluster),
    journal: readProviderJournal(installation.effects()),
    unexpectedExits: processes.flatMap((child) => child.unexpectedExits),
    suspiciousLines: processes.flatMap((child) => child.suspiciousLines),
  });
  await trial.stop();
  for (const { kind, description, ids } of findings) print(`${kind}: ${description}: ${ids.join(" ")}`);
  print(`${name}: answers=${history.answers.length} findings=${findings.length}`);
  return process.exit(findings.length > 0 ? 1 : 0);
}

/** Waits until every record is final, or until the timeout. */
async function waitUntilFinal({ installation: { cluster }, nowMs }: Trial): Promise<void> {
  const giveUpAtMs = nowMs() + finalWithinMs;
  while (nowMs() < giveUpAtMs) {
    await skipLongWaits(cluster);
    if (Object.keys(await countUnfinished(cluster)).length === 0) return;
    await waitMs(250);
  }
}

/** A payment that its buyer has paid, and whose success the gateway has recorded. */
export interface PaidPayment {
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly paymentId: string;
}

export async function makePayment(trial: Trial, merchant: Merchant, name: string): Promise<PaidPayment> {
  const pay = { verb: "pay", merchant, requestId: name, body: payBody(name, trial.notifyUrl) } as const;
  const accepted = await sendUntil(trial, pay, ({ id }) => id !== undefined);
  const paymentId = accepted.id ?? "";
  await trial.actAsBuyer(paymentId, "approve");
  const body = { paymentRequestId: name };
  const inquiry = { verb: "inquiryPayment", merchant, requestId: name, body } as const;
  await sendUntil(trial, inquiry, ({ recordStatus }) => recordStatus === "SUCCESS");
  return { merchant, paymentRequestId: name, paymentId };
}

/** Requests a partial refund, once. */
export async function requestRefund(
  trial: Trial,
  { merchant, paymentRequestId, paymentId }: PaidPayment,
): Promise<Answer | undefined> {
  const refundRequestId = `${paymentRequestId}-refund`;
  const refundAmount = { currency: "EUR", value: "300" };
  const body = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: trial.notifyUrl };
  return trial.send(0, { verb: "refund", merchant, requestId: refundRequestId, body });
}

/**
 * `registerAsNotIdempotent` registers the provider as not idempotent. From then on the gateway does not trust its "not
 * found" during the quiet time.
 */
export async function registerAsNotIdempotent(
  { installation }: Trial,
  { quietSeconds }: { readonly quietSeconds: number },
): Promise<void> {
  const { cluster, serves, works } = installation;
  await cluster.execute(
    database,
    `update connectors set idempotent_by_reference = false, quiet_seconds = ${quietSeconds}`,
  );
  // The processes are restarted, because they read the connector's terms when they start.
  for (const child of [...serves, ...works]) await child.kill();
  await Promise.all([...serves, ...works].map((child) => child.start()));
  await installation.control("POST", "/control/faults", { kind: "not-idempotent", count: 10_000 });
}

interface MerchantRequest {
  readonly verb: Verb;
  readonly merchant: Merchant;
  readonly requestId: string;
  readonly body: object;
}

async function sendUntil(
  trial: Trial,
  request: MerchantRequest,
  isMet: (answer: Answer) => boolean,
): Promise<Answer> {
  const giveUpAtMs = trial.nowMs() + paidWithinMs;
  while (trial.nowMs() < giveUpAtMs) {
    const answer = await trial.send(0, request);
    if (answer && isMet(answer)) return answer;
    await waitMs(250);
  }
  throw new Error(`${request.requestId} did not reach the expected state.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
