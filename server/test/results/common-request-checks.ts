import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import pg from "pg";
import { operations } from "../../src/catalog/operations.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { call, newMerchant, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { executeAsSuperuser, type ResultEnvironment } from "./result-environment.ts";

/** Produces each code of the common request checks, for any operation. */
export interface RequestChecks {
  produceCode(operation: Operation, code: string): Promise<string>;
  /** Sends requests to all operations at once, while the database does not respond. */
  callWithHangingDatabase(): Promise<ReadonlyMap<string, string>>;
}

export async function openRequestChecks(environment: ResultEnvironment): Promise<RequestChecks> {
  const { url, merchant, database } = environment;
  const suspended = await newMerchant(database, "Suspended Lab");
  const busy = await newMerchant(database, "Busy Lab");
  await executeAsSuperuser(
    environment,
    `update clients set status = 'SUSPENDED' where client_id = '${suspended.clientId}'`,
  );
  await executeAsSuperuser(
    environment,
    `update clients set rate_per_second = 1, rate_burst = 1 where client_id = '${busy.clientId}'`,
  );
  const { privateKey: forgedKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const impostor = {
    ...merchant,
    privateKey: createPrivateKey(forgedKey.export({ type: "pkcs8", format: "pem" })),
  };
  const unknownMerchant = { ...merchant, clientId: "SANDBOX_NOBODY00000" };

  const post = (
    merchantToUse: TestMerchant,
    { path, example }: Operation,
    more = {},
  ): Promise<ReceivedAnswer> =>
    call(url, merchantToUse, {
      path: pathOf("sandbox", path),
      body: JSON.stringify(example.request),
      ...more,
    });
  const requestByCode: Readonly<Record<string, (operation: Operation) => Promise<ReceivedAnswer>>> = {
    NO_INTERFACE_DEF: (operation) => post(merchant, { ...operation, path: `${operation.path}Twice` }),
    METHOD_NOT_SUPPORTED: (operation) => post(merchant, operation, { method: "PUT" }),
    MEDIA_TYPE_NOT_ACCEPTABLE: (operation) =>
      post(merchant, operation, { headers: { "content-type": "text/plain" } }),
    PARAM_ILLEGAL: (operation) => post(merchant, operation, { body: "[]" }),
    UNKNOWN_CLIENT: (operation) => post(unknownMerchant, operation),
    KEY_NOT_FOUND: (operation) => post(merchant, operation, { keyVersion: 9 }),
    INVALID_SIGNATURE: (operation) => post(impostor, operation),
    INVALID_CLIENT_STATUS: (operation) => post(suspended, operation),
    ACCESS_DENIED: (operation) => requestOnLivePath(environment, operation),
    REQUEST_TRAFFIC_EXCEED_LIMIT: (operation) =>
      eventually(
        10_000,
        () => post(busy, operation),
        ({ json }) => json.result["resultCode"] === "REQUEST_TRAFFIC_EXCEED_LIMIT",
      ),
  };
  return {
    async produceCode(operation, code) {
      const requestWith = requestByCode[code];
      assert(requestWith, `There is no way to ${code}.`);
      return String((await requestWith(operation)).json.result["resultCode"]);
    },
    callWithHangingDatabase: () => requestWithHangingDatabase(environment, post),
  };
}

/**
 * Sends a request on the path without `/sandbox`. In the sandbox this path is for in-store requests, and other requests
 * are denied.
 */
async function requestOnLivePath(
  environment: ResultEnvironment,
  { path, inStore, example }: Operation,
): Promise<ReceivedAnswer> {
  const { url, merchant } = environment;
  const callLivePath = (body: object): Promise<ReceivedAnswer> =>
    call(url, merchant, { path: pathOf("live", path), body: JSON.stringify(body) });
  if (!inStore) return callLivePath(example.request as object);
  const paymentId = await environment.payment("paid");
  switch (path) {
    case "payments/refund":
      return callLivePath({
        ...(example.request as object),
        refundRequestId: environment.newName("refund"),
        paymentId,
      });
    case "payments/inquiryRefund": {
      const refundRequestId = environment.newName("refund");
      const refundAmount = { currency: "EUR", value: "100" };
      await environment.finalCodeOf("payments/refund", { refundRequestId, paymentId, refundAmount });
      return callLivePath({ refundRequestId });
    }
    case "payments/inquiryPayment":
    case "payments/cancel":
      return callLivePath({ paymentId });
    default:
      return callLivePath({ ...(example.request as object), paymentRequestId: environment.newName("plain") });
  }
}

/**
 * Locks tables. Returns false after a deadlock, because a worker may hold a lock on one table and wait for the other.
 * Callers then retry.
 */
async function tryLockTables(holder: pg.Client, tables: string): Promise<boolean> {
  await holder.query("begin");
  const held = await holder.query(`lock table ${tables} in access exclusive mode`).catch(() => undefined);
  if (!held) await holder.query("rollback");
  return held !== undefined;
}

/**
 * The limit of concurrent transactions of one merchant. The gateway rejects further requests with a retryable error,
 * and not with an unknown outcome.
 */
const concurrentTransactionsMax = 4;

/** Simulates a hanging database by locking tables. */
async function requestWithHangingDatabase(
  environment: ResultEnvironment,
  post: (merchantToUse: TestMerchant, operation: Operation) => Promise<ReceivedAnswer>,
): Promise<ReadonlyMap<string, string>> {
  const holder = new pg.Client({ connectionString: environment.database.superuserUrl });
  await holder.connect();
  const { rows } = await holder.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const tables = rows.map(({ name }) => name).join(", ");
  const merchants = await Promise.all(
    operations.map(async (_, index) =>
      index % concurrentTransactionsMax === 0
        ? newMerchant(environment.database, `Asker ${index}`)
        : undefined,
    ),
  );
  await eventually(30_000, () => tryLockTables(holder, tables), Boolean);
  try {
    const answers = await Promise.all(
      operations.map(async (operation, index) => {
        const merchant = merchants[index - (index % concurrentTransactionsMax)] ?? environment.merchant;
        const { json } = await post(merchant, operation);
        return [operation.path, String(json.result["resultCode"])] as const;
      }),
    );
    return new Map(answers);
  } finally {
    await holder.query("rollback");
    await holder.end();
  }
}
