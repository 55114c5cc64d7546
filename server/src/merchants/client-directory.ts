import type { KeyObject } from "node:crypto";
import type { Client } from "./client.ts";
import { findClient, listRevisions } from "./client.sql.ts";
import type { Database } from "../postgres/database.ts";
import { isKeyProblem, publicKeyFromDer } from "../signing/public-key.ts";
import { bucketOf } from "../core/bucket.ts";
import { newSemaphore, newRateLimiter, type Semaphore } from "../resilience/limits.ts";
import { noProviders } from "../providers/provider-account.ts";
import { newSingleFlight } from "../resilience/single-flight.ts";

/**
 * A client with its parsed keys. The directory caches parsed keys, because parsing a key takes ten times as long as
 * verifying with it.
 */
export interface ClientWithKeys extends Client {
  readonly keys: ReadonlyMap<number, KeyObject>;
}

/**
 * `createKeylessClient` returns a client that is being opened: it has an id and no key, so no request can be signed in its name.
 */
export function createKeylessClient(clientId: string): ClientWithKeys {
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
    atProviders: noProviders,
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
  find(clientId: string): Promise<ClientWithKeys | undefined>;
  /**
   * Looks up an unauthenticated id and key version in the cache; undefined on a miss. `unknown-client` is a negative
   * cache entry: the client does not exist.
   */
  findCached(clientId: string, keyVersion?: number): ClientWithKeys | "unknown-client" | undefined;
  /**
   * Loads a client for an unauthenticated caller. If too many lookups wait, it rejects an id that is not known to
   * exist.
   */
  lookUp(clientId: string, keyVersion?: number): Promise<ClientWithKeys | "unknown-client" | "too many wait">;
  /** Revalidates the cache by the clients' revisions; called several times a second. */
  refresh(): Promise<void>;
}

interface Entry {
  readonly client: ClientWithKeys;
  checkedAtMs: number;
  usedAtMs: number;
  /** When a key version that the client does not have was last looked up (negative cache). */
  missedAtMs: number;
}

/** Time to live of a cached client, so that a revoked key is rejected within a second. */
export const cacheTtlMs = 900;
export const refreshIntervalMs = 250;
const evictAfterMs = 60_000;
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
const negativeCacheMs = 1_000;
/** Maximum number of ids in each of the two sets, existing and missing ids. An id takes a few hundred bytes. */
const idsMax = 50_000;

export function openClientDirectory(database: Database, monotonicMs: () => number): ClientDirectory {
  const cache = createClientCache(database, monotonicMs);
  const ids = createIdCache();
  const { query, queryFresh } = newSingleFlight(readClient);
  const lookupSemaphore = newSemaphore(lookupsMax);
  const unauthenticatedSemaphore = newSemaphore(lookupsMax);
  const unauthenticatedRate = newRateLimiter(monotonicMs);
  let unauthenticatedWaiting = 0;

  async function readClient(clientId: string): Promise<ClientWithKeys | undefined> {
    // The time is taken before the query, because the result omits a change during the query.
    const checkedAtMs = monotonicMs();
    const client = await findClient(database.reader([clientId]), clientId);
    ids.record(clientId, client !== undefined, checkedAtMs);
    const clientWithKeys = client && { ...client, keys: parseKeys(client) };
    cache.store(clientId, clientWithKeys, checkedAtMs);
    return clientWithKeys;
  }

  async function lookUpClient(
    clientId: string,
    keyVersion: number | undefined,
    semaphore: Semaphore,
  ): Promise<ClientWithKeys | "unknown-client"> {
    const client = await queryFresh(clientId, semaphore);
    const entry = cache.findFresh(clientId);
    const isKeyMissing = keyVersion !== undefined && client?.keys.has(keyVersion) === false;
    if (entry && isKeyMissing) entry.missedAtMs = monotonicMs();
    return client ?? "unknown-client";
  }

  return {
    find: async (clientId) => cache.findFresh(clientId)?.client ?? query(clientId, lookupSemaphore),

    findCached(clientId, keyVersion) {
      const entry = cache.findFresh(clientId);
      if (!entry) return ids.isMissingId(clientId, monotonicMs()) ? "unknown-client" : undefined;
      // A key version that the cached client does not have may have been added a moment ago. It counts as a cache miss,
      // unless it was looked up just now.
      const isKnown = keyVersion === undefined || entry.client.keys.has(keyVersion);
      return isKnown || monotonicMs() - entry.missedAtMs < negativeCacheMs ? entry.client : undefined;
    },

    async lookUp(clientId, keyVersion) {
      if (ids.isKnownId(clientId)) return lookUpClient(clientId, keyVersion, lookupSemaphore);
      if (unauthenticatedWaiting >= lookupsWaitingMax || unauthenticatedRate.take("look-ups", lookupRate) > 0)
        return "too many wait";
      unauthenticatedWaiting += 1;
      try {
        return await lookUpClient(clientId, keyVersion, unauthenticatedSemaphore);
      } finally {
        unauthenticatedWaiting -= 1;
      }
    },

    refresh: () => cache.refresh(),
  };
}

/** Cache of clients with recent requests, less than a second old. */
interface ClientCache {
  findFresh(clientId: string): Entry | undefined;
  store(clientId: string, client: ClientWithKeys | undefined, checkedAtMs: number): void;
  refresh(): Promise<void>;
}

function createClientCache(database: Database, monotonicMs: () => number): ClientCache {
  const entries = new Map<string, Entry>();
  return {
    findFresh(clientId) {
      const entry = entries.get(clientId);
      const nowMs = monotonicMs();
      if (!entry || nowMs - entry.checkedAtMs >= cacheTtlMs) return undefined;
      entry.usedAtMs = nowMs;
      return entry;
    },
    store(clientId, client, checkedAtMs) {
      const missedAtMs = entries.get(clientId)?.missedAtMs ?? -Infinity;
      if (client) entries.set(clientId, { client, checkedAtMs, usedAtMs: checkedAtMs, missedAtMs });
      else entries.delete(clientId);
    },
    async refresh() {
      const checkedAtMs = monotonicMs();
      for (const [clientId, { usedAtMs }] of entries) {
        if (checkedAtMs - usedAtMs > evictAfterMs) entries.delete(clientId);
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
interface IdCache {
  record(name: string, isKnownId: boolean, atMs: number): void;
  /** Whether an id is known to exist, so that a merchant without recent requests does not queue behind invented ids. */
  isKnownId(name: string): boolean;
  isMissingId(name: string, nowMs: number): boolean;
}

function createIdCache(): IdCache {
  const existingIds = new Set<string>();
  /** Maps an id to the time of its lookup. */
  const missingIds = new Map<string, number>();
  return {
    record(name, isKnownId, atMs) {
      existingIds.delete(name);
      missingIds.delete(name);
      const idSet = isKnownId ? existingIds : missingIds;
      if (idSet.size >= idsMax) idSet.clear();
      if (isKnownId) existingIds.add(name);
      else missingIds.set(name, atMs);
    },
    isKnownId: (name) => existingIds.has(name),
    isMissingId: (name, nowMs) => nowMs - (missingIds.get(name) ?? -Infinity) < negativeCacheMs,
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
