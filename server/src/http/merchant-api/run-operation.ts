import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Action, Call, Change, Claimed, Inquiry } from "../../contract/operation.ts";
import { sha256 } from "../../core/digest.ts";
import { fingerprintOf } from "../../core/fingerprint.ts";
import { newId } from "../../core/id.ts";
import { isRefusal, refuse, type Refusal } from "../../core/result.ts";
import type { JobKey } from "../../contract/job.ts";
import { isJobLeased } from "../../jobs/job.sql.ts";
import { runJob } from "../../jobs/run-job.ts";
import { feeTermsFor } from "../../ledger/fee-rule.ts";
import { lockLastChange, updateLastChange } from "../../merchants/last-change.sql.ts";
import { afterChange } from "../../merchants/last-change.ts";
import { committed, type Outcome } from "../../postgres/database.ts";
import type { Origin } from "../../postgres/origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import type { Admission } from "./admit.ts";
import type { Gateway } from "./gateway.ts";

/** Timeout in milliseconds of a caller's wait for the provider: points of sale give up after five seconds. */
const providerWaitMs = 4_500;
/** Poll interval in milliseconds while another process holds the job's lease. */
const pollIntervalMs = 100;

/** The outcome of an operation: the response's fields with their code, or a rejection. */
export type Ran = Answered | Refusal;

interface Answered extends Pick<Claimed<object>, "unchanged"> {
  readonly answered: ReturnType<Inquiry["answer"]>;
}

/** Runs an operation. It throws if the outcome is unknown, and throws `TooManyWaiting` if nothing was started. */
export async function runOperation(gateway: Gateway, admission: Admission): Promise<Ran> {
  const { operation } = admission.route;
  if ("find" in operation) return runInquiry(gateway, operation, admission);
  if ("change" in operation) return runChange(gateway, operation, admission);
  return runAction(gateway, operation, admission);
}

async function runInquiry(gateway: Gateway, operation: Inquiry, admission: Admission): Promise<Ran> {
  const record = (await findTogether(admission)) ?? (await findAlone(gateway, operation, admission));
  return isRefusal(record) ? record : { answered: operation.answer(record) };
}

async function findAlone(
  gateway: Gateway,
  operation: Inquiry,
  admission: Admission,
): Promise<object | Refusal> {
  const origins = new Set<Origin>();
  const call = callFor(gateway, admission, readerFor(gateway, admission, origins));
  const record = await operation.find(call, admission.request);
  // If the request was rejected before any read, `origins` is empty.
  if (origins.size > 0) await gateway.database.confirmed(origins);
  return record;
}

/**
 * Fast path: reads a record in a batch with other callers. Returns undefined if `find` must read alone, which also
 * finds the reason for a missing record.
 */
async function findTogether({ route, client, request, inStoreOnly }: Admission): Promise<object | undefined> {
  const { bucket, clientId } = client;
  return inStoreOnly ? undefined : route.finder?.(clientId, { bucket, clientId, request });
}

async function runChange(gateway: Gateway, operation: Change, admission: Admission): Promise<Ran> {
  const origins = new Set<Origin>();
  const change = (call: Call): Promise<object | Refusal> => changeInTurn(call, operation, admission);
  const record = await commitOnce(gateway, admission, change, origins);
  // A repeated request writes nothing, so its commit has not waited for the standby.
  await gateway.database.confirmed(origins);
  return isRefusal(record) ? record : { answered: operation.answer(record) };
}

/**
 * Applies a change and records its request time in the same transaction. It rejects a change that is older than the
 * last one (replay protection).
 */
async function changeInTurn(
  call: Call,
  operation: Change,
  { request, requestedAt, body, person }: Admission,
): Promise<object | Refusal> {
  // The gateway accepts a person's token only once, so a replay is impossible.
  if (Object.keys(request).length === 0 || person) return operation.change(call, request, false);
  const key = { bucket: call.bucket, clientId: call.clientId, operation: operation.path };
  const last = await lockLastChange(call.tx, key);
  const next = afterChange(last, { requestedAt, digest: sha256(body) });
  if (next === "old") return refuse("REPEAT_REQ_INCONSISTENT", { field: "request-time", detail: followed });
  if (next !== "again") updateLastChange(call.tx, key, next);
  return operation.change(call, request, next === "again");
}

const followed = "A newer change was already applied. Send the request again with a current request-time.";

async function runAction(gateway: Gateway, operation: Action, admission: Admission): Promise<Ran> {
  const { at, monotonicMs } = gateway.runner;
  const leasedSinceMs = monotonicMs();
  at("before-claim");
  const origins = new Set<Origin>();
  const claimed =
    (await claimFirst(gateway, operation, admission)) ??
    (await claim(gateway, operation, admission, origins));
  if (isRefusal(claimed)) {
    await gateway.database.confirmed(origins);
    return claimed;
  }
  at("after-claim-commit");

  const { record, leased, awaited, unchanged = [] } = claimed;
  if (leased) {
    const trace = gateway.runner.traces.current();
    const running = runJob(gateway.runner, { ...leased, trace }, leasedSinceMs);
    const { waits } = operation;
    const isAwaited = typeof waits === "function" ? waits(admission.request) : waits;
    if (!isAwaited) return { answered: operation.answer(record) };
    await admission.idle(atMost(providerWaitMs, running));
  }
  const call = callFor(gateway, admission, readerFor(gateway, admission, origins));
  if (awaited) await admission.idle(whileHeld(call.tx, awaited));
  const current = leased || awaited ? await operation.read(call, record) : record;
  // If the batch of claims has just committed the record, nothing was read, and `origins` is empty.
  if (origins.size > 0) await gateway.database.confirmed(origins);
  return { answered: operation.answer(current), unchanged };
}

/**
 * Fast path: inserts a record in a batch with other callers. Returns undefined if the request id exists, or the batch
 * failed; then `claim` runs alone.
 */
async function claimFirst(
  gateway: Gateway,
  operation: Action,
  admission: Admission,
): Promise<Claimed<object> | undefined> {
  const { first } = admission.route;
  if (!first || !operation.first) return undefined;
  const made = operation.first.make(callFor(gateway, admission, nowhere), admission.request);
  if (isRefusal(made)) return undefined;
  // After a commit with an unknown outcome, `claim` finds the record, or writes it.
  const written = await first.write(admission.client.clientId, made.record);
  return written === "written" ? made : undefined;
}

/** A `Tx` that throws on use: the fast path must not read the database. */
const nowhere: Tx = {
  query: () => assert.fail("The fast path of an action must not read the database."),
  write: () => assert.fail("The fast path of an action must not write to the database itself."),
};

function claim(
  gateway: Gateway,
  operation: Action,
  admission: Admission,
  origins: Set<Origin>,
): Promise<Claimed<object> | Refusal> {
  return commitOnce(gateway, admission, (call) => operation.claim(call, admission.request), origins);
}

/**
 * Runs a transaction. It throws if the commit's outcome is unknown: it may have happened, so a final failure would be
 * wrong. It adds the server to `origins`, so that the caller can wait for the standby: a read-only transaction has not
 * waited for it.
 */
async function commitOnce<Value extends object>(
  gateway: Gateway,
  admission: Admission,
  work: (call: Call) => Promise<Value>,
  origins: Set<Origin>,
): Promise<Value> {
  const { clientId } = admission.client;
  const { database, turns } = gateway.runner;
  const commit = (isEnding: boolean): Promise<Outcome<Value>> =>
    turns.take(
      clientId,
      () =>
        database.transaction(
          [clientId],
          (tx) => audited(admission, tx, work(callFor(gateway, admission, tx))),
          origins,
        ),
      { isEnding, idle: admission.idle },
    );
  const done = await commit(false);
  if (done.outcome !== "unknown") return committed(done);
  // Retry of an idempotent transaction: the retry finds what was committed, or commits it now. The caller waits for the
  // standby.
  origins.clear();
  return committed(await commit(true));
}

/** Writes a person's act to the audit log, in the transaction of the act. A rejected act has no audit row. */
async function audited<Value extends object>(
  { person }: Admission,
  tx: Tx,
  work: Promise<Value>,
): Promise<Value> {
  const done = await work;
  if (person && !isRefusal(done)) await person.audit(tx, done);
  return done;
}

/** A reader for the caller's rows. The reader adds the servers from which it reads to `origins`. */
export function readerFor(gateway: Gateway, { client }: Admission, origins?: Set<Origin>): Tx {
  return gateway.database.reader([client.clientId], origins);
}

export function callFor(gateway: Gateway, { client, inStoreOnly, person }: Admission, tx: Tx): Call {
  const { clientId, bucket } = client;
  const { aheadMs } = client;
  const now = new Date(gateway.clock.now().getTime() + aheadMs);
  return {
    tx,
    environment: gateway.environment,
    clientId,
    bucket,
    now,
    aheadMs,
    inStoreOnly,
    newId: (kind) => newId(kind, bucket, now, (below) => randomInt(below)),
    fingerprint: (request, fields) => fingerprintOf(request, fields, gateway.secrets.fingerprint),
    connectorFor: (paymentMethodType) => gateway.connectors.nameFor(paymentMethodType),
    servedMethods: () => gateway.connectors.servedMethods(),
    isReachable: (connector) => gateway.connectors.isReachable(connector),
    termsOf: (connector) => gateway.connectors.termsOf(connector),
    secrets: gateway.driver.secrets,
    linkSchemes: client.linkSchemes,
    feeBasisPoints: client.feeBasisPoints,
    feeTermsFor: (asked) => feeTermsFor(client.feeRules, asked),
    organisation: person?.organisation,
    checkoutUrl: (paymentId) => gateway.checkoutUrl(clientId, paymentId),
  };
}

/** Polls the job's row while another process holds its lease. */
async function whileHeld(tx: Tx, awaited: JobKey): Promise<void> {
  for (let waitedMs = 0; waitedMs < providerWaitMs; waitedMs += pollIntervalMs) {
    if (!(await isJobLeased(tx, awaited))) return;
    await delay(pollIntervalMs);
  }
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
