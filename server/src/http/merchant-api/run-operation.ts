import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Action, Call, Change, ClaimResult, Inquiry } from "../../contract/operation.ts";
import { sha256 } from "../../core/digest.ts";
import { fingerprintOf } from "../../core/fingerprint.ts";
import { newId } from "../../core/id.ts";
import { isRefusal, refuse, type Refusal } from "../../core/result.ts";
import type { JobKey } from "../../contract/job.ts";
import { isJobLeased } from "../../jobs/job.sql.ts";
import { runJob } from "../../jobs/run-job.ts";
import { selectFeeTerms } from "../../ledger/fee-rule.ts";
import { lockLastChange, updateLastChange } from "../../merchants/last-change.sql.ts";
import { decideChange } from "../../merchants/last-change.ts";
import { referencesAt } from "../../providers/provider-account.ts";
import { requireCommitted, type TransactionOutcome } from "../../postgres/database.ts";
import type { ServerOrigin } from "../../postgres/connection-origin.ts";
import type { Tx } from "../../postgres/sql.ts";
import type { Admission } from "./admit.ts";
import type { Gateway } from "./gateway.ts";

/** Timeout in milliseconds of a caller's wait for the provider: points of sale give up after five seconds. */
const providerWaitMs = 4_500;
/** Poll interval in milliseconds while another process holds the job's lease. */
const pollIntervalMs = 100;

/** The outcome of an operation: the response's fields with their code, or a rejection. */
export type OperationOutcome = OperationAnswer | Refusal;

interface OperationAnswer extends Pick<ClaimResult<object>, "ignoredDifferences"> {
  readonly response: ReturnType<Inquiry["answer"]>;
}

/** Runs an operation. It throws if the outcome is unknown, and throws `TooManyWaiting` if nothing was started. */
export async function runOperation(gateway: Gateway, admission: Admission): Promise<OperationOutcome> {
  const { operation } = admission.route;
  if ("find" in operation) return runInquiry(gateway, operation, admission);
  if ("change" in operation) return runChange(gateway, operation, admission);
  return runAction(gateway, operation, admission);
}

async function runInquiry(
  gateway: Gateway,
  operation: Inquiry,
  admission: Admission,
): Promise<OperationOutcome> {
  const record = (await findInBatch(admission)) ?? (await findAlone(gateway, operation, admission));
  return isRefusal(record) ? record : { response: operation.answer(record) };
}

async function findAlone(
  gateway: Gateway,
  operation: Inquiry,
  admission: Admission,
): Promise<object | Refusal> {
  const origins = new Set<ServerOrigin>();
  const call = newCall(gateway, admission, readerFor(gateway, admission, origins));
  const record = await operation.find(call, admission.request);
  // If the request was rejected before any read, `origins` is empty.
  if (origins.size > 0) await gateway.database.waitForReplication(origins);
  return record;
}

/**
 * Fast path: reads a record in a batch with other callers. Returns undefined if `find` must read alone, which also
 * finds the reason for a missing record.
 */
async function findInBatch({ route, client, request, inStoreOnly }: Admission): Promise<object | undefined> {
  const { bucket, clientId } = client;
  return inStoreOnly ? undefined : route.batchReader?.(clientId, { bucket, clientId, request });
}

async function runChange(
  gateway: Gateway,
  operation: Change,
  admission: Admission,
): Promise<OperationOutcome> {
  const origins = new Set<ServerOrigin>();
  const change = (call: Call): Promise<object | Refusal> => applyChange(call, operation, admission);
  const record = await commitOnce(gateway, admission, change, origins);
  // A repeated request writes nothing, so its commit has not waited for the standby.
  await gateway.database.waitForReplication(origins);
  return isRefusal(record) ? record : { response: operation.answer(record) };
}

/**
 * Applies a change and records its request time in the same transaction. It rejects a change that is older than the
 * last one (replay protection).
 */
async function applyChange(
  call: Call,
  operation: Change,
  { request, requestedAt, body, person }: Admission,
): Promise<object | Refusal> {
  // The gateway accepts a person's token only once, so a replay is impossible.
  if (Object.keys(request).length === 0 || person) return operation.change(call, request, false);
  const key = { bucket: call.bucket, clientId: call.clientId, operation: operation.path };
  const last = await lockLastChange(call.tx, key);
  const next = decideChange(last, { requestedAt, digest: sha256(body) });
  if (next === "old")
    return refuse("REPEAT_REQ_INCONSISTENT", { field: "request-time", detail: supersededDetail });
  if (next !== "again") updateLastChange(call.tx, key, next);
  return operation.change(call, request, next === "again");
}

const supersededDetail =
  "A newer change was already applied. Send the request again with a current request-time.";

async function runAction(
  gateway: Gateway,
  operation: Action,
  admission: Admission,
): Promise<OperationOutcome> {
  const { atCrashPoint, monotonicMs } = gateway.runner;
  const leasedSinceMs = monotonicMs();
  atCrashPoint("before-claim");
  const origins = new Set<ServerOrigin>();
  const claimed =
    (await claimInBatch(gateway, operation, admission)) ??
    (await claim(gateway, operation, admission, origins));
  if (isRefusal(claimed)) {
    await gateway.database.waitForReplication(origins);
    return claimed;
  }
  atCrashPoint("after-claim-commit");

  const { record, leasedJob, awaitedJob, ignoredDifferences = [] } = claimed;
  if (leasedJob) {
    const trace = gateway.runner.traces.current();
    const running = runJob(gateway.runner, { ...leasedJob, trace }, leasedSinceMs);
    const { waitsForProvider } = operation;
    const isAwaited =
      typeof waitsForProvider === "function" ? waitsForProvider(admission.request) : waitsForProvider;
    if (!isAwaited) return { response: operation.answer(record) };
    await admission.idle(waitAtMost(providerWaitMs, running));
  }
  const call = newCall(gateway, admission, readerFor(gateway, admission, origins));
  if (awaitedJob) await admission.idle(waitForLease(call.tx, awaitedJob));
  const current = leasedJob || awaitedJob ? await operation.read(call, record) : record;
  // If the batch of claims has just committed the record, nothing was read, and `origins` is empty.
  if (origins.size > 0) await gateway.database.waitForReplication(origins);
  return { response: operation.answer(current), ignoredDifferences };
}

/**
 * Fast path: inserts a record in a batch with other callers. Returns undefined if the request id exists, or the batch
 * failed; then `claim` runs alone.
 */
async function claimInBatch(
  gateway: Gateway,
  operation: Action,
  admission: Admission,
): Promise<ClaimResult<object> | undefined> {
  const { batchWriter } = admission.route;
  if (!batchWriter || !operation.fastPath) return undefined;
  const newRecord = operation.fastPath.buildClaim(newCall(gateway, admission, noDatabase), admission.request);
  if (isRefusal(newRecord)) return undefined;
  // After a commit with an unknown outcome, `claim` finds the record, or writes it.
  const written = await batchWriter.write(admission.client.clientId, newRecord.record);
  return written === "written" ? newRecord : undefined;
}

/** A `Tx` that throws on use: the fast path must not read the database. */
const noDatabase: Tx = {
  query: () => assert.fail("The fast path of an action must not read the database."),
  write: () => assert.fail("The fast path of an action must not write to the database itself."),
};

function claim(
  gateway: Gateway,
  operation: Action,
  admission: Admission,
  origins: Set<ServerOrigin>,
): Promise<ClaimResult<object> | Refusal> {
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
  origins: Set<ServerOrigin>,
): Promise<Value> {
  const { clientId } = admission.client;
  const { database, merchantQueues } = gateway.runner;
  const commit = (isCompletion: boolean): Promise<TransactionOutcome<Value>> =>
    merchantQueues.run(
      clientId,
      () =>
        database.transaction(
          [clientId],
          (tx) => auditWork(admission, tx, work(newCall(gateway, admission, tx))),
          origins,
        ),
      { isCompletion, releaseSlotWhile: admission.idle },
    );
  const outcome = await commit(false);
  if (outcome.outcome !== "unknown") return requireCommitted(outcome);
  // Retry of an idempotent transaction: the retry finds what was committed, or commits it now. The caller waits for the
  // standby.
  origins.clear();
  return requireCommitted(await commit(true));
}

/** Writes a person's act to the audit log, in the transaction of the act. A rejected act has no audit row. */
async function auditWork<Value extends object>(
  { person }: Admission,
  tx: Tx,
  work: Promise<Value>,
): Promise<Value> {
  const result = await work;
  if (person && !isRefusal(result)) await person.audit(tx, result);
  return result;
}

/** A reader for the caller's rows. The reader adds the servers from which it reads to `origins`. */
export function readerFor(gateway: Gateway, { client }: Admission, origins?: Set<ServerOrigin>): Tx {
  return gateway.database.reader([client.clientId], origins);
}

export function newCall(gateway: Gateway, { client, inStoreOnly, person }: Admission, tx: Tx): Call {
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
    connectorFor: (paymentMethodType) =>
      gateway.connectors.nameFor(paymentMethodType, client.atProviders.accounts),
    referencesAt: (connector, referenceMerchantId) =>
      referencesAt(client.atProviders, connector, referenceMerchantId),
    servedMethods: () => gateway.connectors.servedMethods(),
    isReachable: (connector) => gateway.connectors.isReachable(connector),
    termsOf: (connector) => gateway.connectors.termsOf(connector),
    wantsOf: (connector) => gateway.connectors.wantsOf(connector),
    secrets: gateway.driver.secrets,
    linkSchemes: client.linkSchemes,
    feeBasisPoints: client.feeBasisPoints,
    feeTermsFor: (feeQuery) => selectFeeTerms(client.feeRules, feeQuery),
    organisation: person?.organisation,
    checkoutUrl: (paymentId) => gateway.checkoutUrl(clientId, paymentId),
  };
}

/** Polls the job's row while another process holds its lease. */
async function waitForLease(tx: Tx, awaited: JobKey): Promise<void> {
  for (let waitedMs = 0; waitedMs < providerWaitMs; waitedMs += pollIntervalMs) {
    if (!(await isJobLeased(tx, awaited))) return;
    await delay(pollIntervalMs);
  }
}

async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
