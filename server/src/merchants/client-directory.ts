import type { KeyObject } from "node:crypto";
import type { Client } from "./client.ts";
import { findClient, listRevisions } from "./client.sql.ts";
import type { Database } from "../postgres/database.ts";
import { isKeyProblem, publicKeyFromDer } from "../signing/public-key.ts";
import { bucketOf } from "../core/bucket.ts";
import { atMostAtOnce, newLimiter, type InTurn } from "../resilience/limits.ts";
import { newSingleFlight } from "../resilience/single-flight.ts";

/**
 * A client with its parsed keys. The directory caches parsed keys, because parsing a key takes ten times as long as
 * verifying with it.
 */
export interface KnownClient extends Client {
  readonly keys: ReadonlyMap<number, KeyObject>;
}

/**
 * `newcomer` returns a client that is being opened: it has an id and no key, so no request can be signed in its name.
 */
export function newcomer(clientId: string): KnownClient {
  return {
    clientId,
    bucket: bucketOf(clientId),
    name: "",
    status: "ACTIVE",
    gatewayKeyVersion: 0,
    timeToleranceSeconds: 0,
    ratePerSecond: 0,
    rateBurst: 0,
    linkSchemes: [],
    feeBasisPoints: 0,
    feeRules: [],
    aheadMs: 0,
    revision: 0n,
    publicKeys: new Map(),
    keys: new Map(),
  };
}

export interface ClientDirectory {
  /**
   * Returns a client, for an id from an authenticated caller or from our own records. On a cache miss the lookup waits
   * in the queue for the database.
   */
  find(clientId: string): Promise<KnownClient | undefined>;
  /**
   * Looks up an unauthenticated id and key version in the cache; undefined on a miss. `unknown-client` is a negative
   * cache entry: the client does not exist.
   */
  remembered(clientId: string, keyVersion?: number): KnownClient | "unknown-client" | undefined;
  /**
   * Loads a client for an unauthenticated caller. If too many lookups wait, it rejects an id that is not known to
   * exist.
   */
  lookUp(clientId: string, keyVersion?: number): Promise<KnownClient | "unknown-client" | "too many wait">;
  /** Revalidates the cache by the clients' revisions; called several times a second. */
  refresh(): Promise<void>;
}

interface Entry {
  readonly client: KnownClient;
  checkedAtMs: number;
  usedAtMs: number;
  /** When a key version that the client does not have was last looked up (negative cache). */
  missedAtMs: number;
}

/** Time to live of a cached client, so that a revoked key is rejected within a second. */
export const trustedForMs = 900;
export const refreshEveryMs = 250;
const forgottenAfterMs = 60_000;
/** Bulkhead: lookups of invented ids must not use the database connections of payments. */
const lookupsMax = 2;
/**
 * Maximum number of waiting lookups for unauthenticated callers. Above it the gateway rejects callers immediately,
 * before they wait longer than their timeout.
 */
export const lookupsWaitingMax = 64;
/**
 * Rate limit of lookups for unauthenticated callers. The burst is for a restart, after which all merchants send
 * requests at once.
 */
const lookupRate = { ratePerSecond: 200, burst: 1_000 };
/**
 * Negative cache: a missing id or key version is not looked up again for this time. A new key may become usable only
 * after this time, too, while unauthenticated callers request other versions.
 */
const missedForMs = 1_000;
/** Maximum number of ids in each of the two sets, existing and missing ids. An id takes a few hundred bytes. */
const namesMax = 50_000;

export function openClientDirectory(database: Database, monotonicMs: () => number): ClientDirectory {
  const memory = newMemory(database, monotonicMs);
  const names = newIdCache();
  const { ask, askAfresh } = newSingleFlight(load);
  const inTurn = atMostAtOnce(lookupsMax);
  const unauthenticatedInTurn = atMostAtOnce(lookupsMax);
  const unauthenticatedRate = newLimiter(monotonicMs);
  let unauthenticatedWaiting = 0;

  async function load(clientId: string): Promise<KnownClient | undefined> {
    // The time is taken before the query, because the result omits a change during the query.
    const checkedAtMs = monotonicMs();
    const client = await findClient(database.reader([clientId]), clientId);
    names.note(clientId, client !== undefined, checkedAtMs);
    const known = client && { ...client, keys: parseKeys(client) };
    memory.keep(clientId, known, checkedAtMs);
    return known;
  }

  async function askFor(
    clientId: string,
    keyVersion: number | undefined,
    turn: InTurn,
  ): Promise<KnownClient | "unknown-client"> {
    const client = await askAfresh(clientId, turn);
    const entry = memory.trusted(clientId);
    const isMissed = keyVersion !== undefined && client?.keys.has(keyVersion) === false;
    if (entry && isMissed) entry.missedAtMs = monotonicMs();
    return client ?? "unknown-client";
  }

  return {
    find: async (clientId) => memory.trusted(clientId)?.client ?? ask(clientId, inTurn),

    remembered(clientId, keyVersion) {
      const entry = memory.trusted(clientId);
      if (!entry) return names.isMissingId(clientId, monotonicMs()) ? "unknown-client" : undefined;
      // A key version that the cached client does not have may have been added a moment ago. It counts as a cache miss,
      // unless it was looked up just now.
      const isKnown = keyVersion === undefined || entry.client.keys.has(keyVersion);
      return isKnown || monotonicMs() - entry.missedAtMs < missedForMs ? entry.client : undefined;
    },

    async lookUp(clientId, keyVersion) {
      if (names.isKnownId(clientId)) return askFor(clientId, keyVersion, inTurn);
      if (unauthenticatedWaiting >= lookupsWaitingMax || unauthenticatedRate.take("look-ups", lookupRate) > 0)
        return "too many wait";
      unauthenticatedWaiting += 1;
      try {
        return await askFor(clientId, keyVersion, unauthenticatedInTurn);
      } finally {
        unauthenticatedWaiting -= 1;
      }
    },

    refresh: () => memory.refresh(),
  };
}

/** Cache of clients with recent requests, less than a second old. */
interface Memory {
  trusted(clientId: string): Entry | undefined;
  keep(clientId: string, client: KnownClient | undefined, checkedAtMs: number): void;
  refresh(): Promise<void>;
}

function newMemory(database: Database, monotonicMs: () => number): Memory {
  const entries = new Map<string, Entry>();
  return {
    trusted(clientId) {
      const entry = entries.get(clientId);
      const nowMs = monotonicMs();
      if (!entry || nowMs - entry.checkedAtMs >= trustedForMs) return undefined;
      entry.usedAtMs = nowMs;
      return entry;
    },
    keep(clientId, client, checkedAtMs) {
      const missedAtMs = entries.get(clientId)?.missedAtMs ?? -Infinity;
      if (client) entries.set(clientId, { client, checkedAtMs, usedAtMs: checkedAtMs, missedAtMs });
      else entries.delete(clientId);
    },
    async refresh() {
      const checkedAtMs = monotonicMs();
      for (const [clientId, { usedAtMs }] of entries) {
        if (checkedAtMs - usedAtMs > forgottenAfterMs) entries.delete(clientId);
      }
      const clientIds = [...entries.keys()];
      if (clientIds.length === 0) return;

      const revisions = await listRevisions(database.reader(clientIds), clientIds);
      for (const clientId of clientIds) {
        const entry = entries.get(clientId);
        if (!entry) continue;
        if (revisions.get(clientId) !== entry.client.revision) entries.delete(clientId);
        else entry.checkedAtMs = checkedAtMs;
      }
    },
  };
}

/** Which ids are known to exist, and which are known to be missing. */
interface NameBook {
  note(name: string, isKnownId: boolean, atMs: number): void;
  /** Whether an id is known to exist, so that a merchant without recent requests does not queue behind invented ids. */
  isKnownId(name: string): boolean;
  isMissingId(name: string, nowMs: number): boolean;
}

function newIdCache(): NameBook {
  const somebodies = new Set<string>();
  /** Maps an id to the time of its lookup. */
  const nobodies = new Map<string, number>();
  return {
    note(name, isKnownId, atMs) {
      somebodies.delete(name);
      nobodies.delete(name);
      const book = isKnownId ? somebodies : nobodies;
      if (book.size >= namesMax) book.clear();
      if (isKnownId) somebodies.add(name);
      else nobodies.set(name, atMs);
    },
    isKnownId: (name) => somebodies.has(name),
    isMissingId: (name, nowMs) => nowMs - (nobodies.get(name) ?? -Infinity) < missedForMs,
  };
}

function parseKeys(client: Client): ReadonlyMap<number, KeyObject> {
  const keys = new Map<number, KeyObject>();
  for (const [version, der] of client.publicKeys) {
    const key = publicKeyFromDer(der);
    // A key that violates the current rules counts as missing.
    if (!isKeyProblem(key)) keys.set(version, key);
  }
  return keys;
}
