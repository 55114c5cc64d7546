import { setTimeout as waitMs } from "node:timers/promises";
import { countUnfinished, readEvidence, skipNotificationGaps } from "./evidence.ts";
import type { Answer, Verb } from "./history.ts";
import { database, type Merchant } from "./installation.ts";
import { judge } from "./oracle.ts";
import { openTrial, payBody, type Trial } from "./trial.ts";
import { readTruth } from "./truth.ts";

/** A few payments that meet one fault, each at its worst moment; judged as the storm is. */
export interface Scenario {
  readonly name: string;
  /** Runs the scenario; records that it leaves open are waited for. */
  run(trial: Trial): Promise<void>;
}

const finalWithinMs = 30_000;
const paidWithinMs = 30_000;

/** Runs a scenario as a program, and exits with 1 when there is a finding. */
export async function runScenario({ name, run }: Scenario): Promise<never> {
  // Exit handlers end all child processes, and these signals run them, too.
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

/** Waits until every record is final, or the timeout. */
async function untilFinal({ installation: { cluster }, nowMs }: Trial): Promise<void> {
  const giveUpAtMs = nowMs() + finalWithinMs;
  while (nowMs() < giveUpAtMs) {
    await skipNotificationGaps(cluster);
    if (Object.keys(await countUnfinished(cluster)).length === 0) return;
    await waitMs(250);
  }
}

/** A payment that its buyer has paid, and that the gateway knows to be paid. */
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
 * From now on the wallet is registered as not idempotent, and its "not found" is not believed during the
 * quiet time.
 */
export async function mistrustTheWallet(
  { installation }: Trial,
  { quietSeconds }: { readonly quietSeconds: number },
): Promise<void> {
  const { cluster, serves, works } = installation;
  await cluster.execute(
    database,
    `update connectors set idempotent_by_reference = false, quiet_seconds = ${quietSeconds}`,
  );
  // Processes read the wallet's terms when they start.
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
  throw new Error(`${question.requestId} does not come to it.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
