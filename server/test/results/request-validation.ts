import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import pg from "pg";
import { operations } from "../../src/catalog/operations.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { call, newMerchant, pathOf, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { asOperator, type ResultWorld } from "./world.ts";

/** Produces each code of the common request checks, for any operation. */
export interface RequestCheckResults {
  knock(operation: Operation, code: string): Promise<string>;
  /** Sends requests to all operations at once, while the database does not respond. */
  callWithHangingDatabase(): Promise<ReadonlyMap<string, string>>;
}

export async function openFrontDoor(world: ResultWorld): Promise<RequestCheckResults> {
  const { url, merchant, database } = world;
  const suspended = await newMerchant(database, "Suspended Lab");
  const busy = await newMerchant(database, "Busy Lab");
  await asOperator(
    world,
    `update clients set status = 'SUSPENDED' where client_id = '${suspended.clientId}'`,
  );
  await asOperator(
    world,
    `update clients set rate_per_second = 1, rate_burst = 1 where client_id = '${busy.clientId}'`,
  );
  const { privateKey: forgedKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const forger = {
    ...merchant,
    privateKey: createPrivateKey(forgedKey.export({ type: "pkcs8", format: "pem" })),
  };
  const otherKey = { ...merchant, clientId: "SANDBOX_NOBODY00000" };

  const post = (who: TestMerchant, { path, example }: Operation, more = {}): Promise<ReceivedAnswer> =>
    call(url, who, { path: pathOf("sandbox", path), body: JSON.stringify(example.request), ...more });
  const ways: Readonly<Record<string, (operation: Operation) => Promise<ReceivedAnswer>>> = {
    NO_INTERFACE_DEF: (operation) => post(merchant, { ...operation, path: `${operation.path}Twice` }),
    METHOD_NOT_SUPPORTED: (operation) => post(merchant, operation, { method: "PUT" }),
    MEDIA_TYPE_NOT_ACCEPTABLE: (operation) =>
      post(merchant, operation, { headers: { "content-type": "text/plain" } }),
    PARAM_ILLEGAL: (operation) => post(merchant, operation, { body: "[]" }),
    UNKNOWN_CLIENT: (operation) => post(otherKey, operation),
    KEY_NOT_FOUND: (operation) => post(merchant, operation, { keyVersion: 9 }),
    INVALID_SIGNATURE: (operation) => post(forger, operation),
    INVALID_CLIENT_STATUS: (operation) => post(suspended, operation),
    ACCESS_DENIED: (operation) => onThePlainPath(world, operation),
    REQUEST_TRAFFIC_EXCEED_LIMIT: (operation) =>
      eventually(
        10_000,
        () => post(busy, operation),
        ({ json }) => json.result["resultCode"] === "REQUEST_TRAFFIC_EXCEED_LIMIT",
      ),
  };
  return {
    async knock(operation, code) {
      const way = ways[code];
      assert(way, `There is no way to ${code}.`);
      return String((await way(operation)).json.result["resultCode"]);
    },
    callWithHangingDatabase: () => withHangingDatabase(world, post),
  };
}

/**
 * Sends a request on the path without `/sandbox`. In the sandbox this path is for in-store requests, and other requests
 * are denied.
 */
async function onThePlainPath(
  world: ResultWorld,
  { path, inStore, example }: Operation,
): Promise<ReceivedAnswer> {
  const { url, merchant } = world;
  const plain = (body: object): Promise<ReceivedAnswer> =>
    call(url, merchant, { path: pathOf("live", path), body: JSON.stringify(body) });
  if (!inStore) return plain(example.request as object);
  const paymentId = await world.payment("paid");
  switch (path) {
    case "payments/refund":
      return plain({ ...(example.request as object), refundRequestId: world.newName("refund"), paymentId });
    case "payments/inquiryRefund": {
      const refundRequestId = world.newName("refund");
      const refundAmount = { currency: "EUR", value: "100" };
      await world.finalCodeOf("payments/refund", { refundRequestId, paymentId, refundAmount });
      return plain({ refundRequestId });
    }
    case "payments/inquiryPayment":
    case "payments/cancel":
      return plain({ paymentId });
    default:
      return plain({ ...(example.request as object), paymentRequestId: world.newName("plain") });
  }
}

/**
 * Locks tables. Returns false after a deadlock, because a worker may hold a lock on one table and wait for the other.
 * Callers then retry.
 */
async function isHeld(holder: pg.Client, tables: string): Promise<boolean> {
  await holder.query("begin");
  const held = await holder.query(`lock table ${tables} in access exclusive mode`).catch(() => undefined);
  if (!held) await holder.query("rollback");
  return held !== undefined;
}

/**
 * The limit of concurrent transactions of one merchant. The gateway rejects further requests with a retryable error,
 * and not with an unknown outcome.
 */
const turnsAtOnce = 4;

/** Simulates a hanging database by locking tables. */
async function withHangingDatabase(
  world: ResultWorld,
  post: (who: TestMerchant, operation: Operation) => Promise<ReceivedAnswer>,
): Promise<ReadonlyMap<string, string>> {
  const holder = new pg.Client({ connectionString: world.database.superuserUrl });
  await holder.connect();
  const { rows } = await holder.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const tables = rows.map(({ name }) => name).join(", ");
  const askers = await Promise.all(
    operations.map(async (_, index) =>
      index % turnsAtOnce === 0 ? newMerchant(world.database, `Asker ${index}`) : undefined,
    ),
  );
  await eventually(30_000, () => isHeld(holder, tables), Boolean);
  try {
    const answers = await Promise.all(
      operations.map(async (operation, index) => {
        const asker = askers[index - (index % turnsAtOnce)] ?? world.merchant;
        const { json } = await post(asker, operation);
        return [operation.path, String(json.result["resultCode"])] as const;
      }),
    );
    return new Map(answers);
  } finally {
    await holder.query("rollback");
    await holder.end();
  }
}
