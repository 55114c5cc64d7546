import { randomInt } from "node:crypto";
import type { Action, Call, Inquiry } from "../api/operation.ts";
import { fingerprintOf } from "../core/fingerprint.ts";
import { newId } from "../core/id.ts";
import { isRefusal, type Refusal } from "../core/result.ts";
import { runJob } from "../jobs/run-job.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Admission } from "./admit.ts";
import type { Gateway } from "./gateway.ts";

/** How long a caller is kept waiting for a wallet; the rest of the ten seconds is for everything else. */
const walletWaitMs = 6_000;

/** What an operation comes to: the fields of its answer with their code, or a refusal. */
export type Ran = { readonly answered: ReturnType<Inquiry["answer"]> } | Refusal;

/** Runs an operation that was admitted. Throws when nobody knows what became of it. */
export async function runOperation(gateway: Gateway, admission: Admission): Promise<Ran> {
  const { operation } = admission.route;
  return "find" in operation
    ? runInquiry(operation, callFor(gateway, admission, readerFor(gateway, admission)), admission.request)
    : runAction(gateway, operation, admission);
}

async function runInquiry(operation: Inquiry, call: Call, request: object): Promise<Ran> {
  const record = await operation.find(call, request);
  return isRefusal(record) ? record : { answered: operation.answer(record) };
}

async function runAction(gateway: Gateway, operation: Action, admission: Admission): Promise<Ran> {
  const { at, monotonicMs } = gateway.runner;
  const heldSinceMs = monotonicMs();
  at("before-claim");
  const claimed = await gateway.database.transaction([admission.client.clientId], (tx) =>
    operation.claim(callFor(gateway, admission, tx), admission.request),
  );
  // Once a claim may exist, "no" would be a lie.
  if (claimed.outcome !== "committed") throw claimed.cause;
  if (isRefusal(claimed.value)) return claimed.value;
  at("after-claim-commit");

  const { record, held } = claimed.value;
  if (!held) return { answered: operation.answer(record) };
  const running = runJob(gateway.runner, held, heldSinceMs);
  if (!operation.waits) return { answered: operation.answer(record) };
  await atMost(walletWaitMs, running);
  const call = callFor(gateway, admission, readerFor(gateway, admission));
  return { answered: operation.answer(await operation.read(call, record)) };
}

function readerFor(gateway: Gateway, { client }: Admission): Tx {
  return gateway.database.reader([client.clientId]);
}

function callFor(gateway: Gateway, { client, inStoreOnly }: Admission, tx: Tx): Call {
  const { clientId, bucket } = client;
  const now = gateway.clock.now();
  return {
    tx,
    environment: gateway.environment,
    clientId,
    bucket,
    now,
    inStoreOnly,
    newId: (kind) => newId(kind, bucket, now, (below) => randomInt(below)),
    fingerprint: (request, fields) => fingerprintOf(request, fields, gateway.secrets.fingerprint),
    connectorFor: (paymentMethodType) => gateway.connectors.nameFor(paymentMethodType),
    checkoutUrl: (paymentId) => gateway.checkoutUrl(clientId, paymentId),
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
