import { setTimeout as waitMs } from "node:timers/promises";
import { countUnfinished, readEvidence, skipNotificationGaps } from "../oracle/evidence.ts";
import type { Answer, Verb } from "../oracle/history.ts";
import { database, type Merchant } from "../installation/installation.ts";
import { judge } from "../oracle/oracle.ts";
import { openTrial, payBody, type Trial } from "./trial.ts";
import { readTruth } from "../oracle/truth.ts";

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
  await untilFinal(trial);
  const { installation, history } = trial;
  const parts = installation.parts();
  const findings = judge({
    history,
    evidence: await readEvidence(installation.cluster),
    truth: readTruth(installation.effects()),
    ownEndings: parts.flatMap((part) => part.ownEndings),
    suspiciousLines: parts.flatMap((part) => part.suspiciousLines),
  });
  await trial.stop();
  for (const { kind, what, ids } of findings) print(`${kind}: ${what}: ${ids.join(" ")}`);
  print(`${name}: answers=${history.answers.length} findings=${findings.length}`);
  return process.exit(findings.length > 0 ? 1 : 0);
}

/** Waits until every record is final, or until the timeout. */
async function untilFinal({ installation: { cluster }, nowMs }: Trial): Promise<void> {
  const giveUpAtMs = nowMs() + finalWithinMs;
  while (nowMs() < giveUpAtMs) {
    await skipNotificationGaps(cluster);
    if (Object.keys(await countUnfinished(cluster)).length === 0) return;
    await waitMs(250);
  }
}

/** A payment that its buyer has paid, and whose success the gateway has recorded. */
export interface Paid {
  readonly merchant: Merchant;
  readonly paymentRequestId: string;
  readonly paymentId: string;
}

export async function makePayment(trial: Trial, merchant: Merchant, name: string): Promise<Paid> {
  const pay = { verb: "pay", merchant, requestId: name, body: payBody(name, trial.notifyUrl) } as const;
  const taken = await askUntil(trial, pay, ({ id }) => id !== undefined);
  const paymentId = taken.id ?? "";
  await trial.buyer(paymentId, "approve");
  const body = { paymentRequestId: name };
  const inquiry = { verb: "inquiryPayment", merchant, requestId: name, body } as const;
  await askUntil(trial, inquiry, ({ recordStatus }) => recordStatus === "SUCCESS");
  return { merchant, paymentRequestId: name, paymentId };
}

/** Requests a partial refund, once. */
export async function askRefund(
  trial: Trial,
  { merchant, paymentRequestId, paymentId }: Paid,
): Promise<Answer | undefined> {
  const refundRequestId = `${paymentRequestId}-refund`;
  const refundAmount = { currency: "EUR", value: "300" };
  const body = { refundRequestId, paymentId, refundAmount, refundNotifyUrl: trial.notifyUrl };
  return trial.ask(0, { verb: "refund", merchant, requestId: refundRequestId, body });
}

/**
 * `mistrustTheProvider` registers the provider as not idempotent. From then on the gateway does not trust its "not
 * found" during the quiet time.
 */
export async function mistrustTheProvider(
  { installation }: Trial,
  { quietSeconds }: { readonly quietSeconds: number },
): Promise<void> {
  const { cluster, serves, works } = installation;
  await cluster.execute(
    database,
    `update connectors set idempotent_by_reference = false, quiet_seconds = ${quietSeconds}`,
  );
  // The processes are restarted, because they read the connector's terms when they start.
  for (const part of [...serves, ...works]) await part.kill();
  await Promise.all([...serves, ...works].map((part) => part.start()));
  await installation.control("POST", "/control/faults", { kind: "not-idempotent", count: 10_000 });
}

interface Question {
  readonly verb: Verb;
  readonly merchant: Merchant;
  readonly requestId: string;
  readonly body: object;
}

async function askUntil(
  trial: Trial,
  question: Question,
  isSo: (answer: Answer) => boolean,
): Promise<Answer> {
  const giveUpAtMs = trial.nowMs() + paidWithinMs;
  while (trial.nowMs() < giveUpAtMs) {
    const answer = await trial.ask(0, question);
    if (answer && isSo(answer)) return answer;
    await waitMs(250);
  }
  throw new Error(`${question.requestId} did not reach the expected state.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
