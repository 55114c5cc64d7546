import type { KeyObject } from "node:crypto";
import type { Client } from "./client.ts";
import { findClient, listRevisions } from "./client.sql.ts";
import type { Database } from "../postgres/database.ts";
import { isKeyProblem, publicKeyFromDer } from "../signing/public-key.ts";
import { bucketOf } from "../core/bucket.ts";
import { atMostAtOnce, newLimiter, type InTurn } from "../core/limits.ts";
import { shareQuestions } from "../core/shared-questions.ts";

/** A client with its keys parsed: parsing one takes ten times as long as verifying with it. */
export interface KnownClient extends Client {
  readonly keys: ReadonlyMap<number, KeyObject>;
}

/** A client that is only about to be opened: it has an id and no key, so nothing can be signed in its name. */
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
  /** For ids from authenticated callers or our own records: a cache miss waits its turn for the database. */
  find(clientId: string): Promise<KnownClient | undefined>;
  /** Cache look-up for an unproven id and key version; undefined on a miss. "nobody" is a cached miss. */
  remembered(clientId: string, keyVersion?: number): KnownClient | "nobody" | undefined;
  /** Loads for an unauthenticated caller; an id not known to exist is refused when too many wait. */
  lookUp(clientId: string, keyVersion?: number): Promise<KnownClient | "nobody" | "too many wait">;
  /** Revalidates the cache by revision; called several times a second. */
  refresh(): Promise<void>;
}

interface Entry {
  readonly client: KnownClient;
  checkedAtMs: number;
  usedAtMs: number;
  /** When a key version that it does not have was last looked up (negative cache). */
  missedAtMs: number;
}

/** Time to live of a cache entry: a revoked key is refused within a second. */
export const trustedForMs = 900;
export const refreshEveryMs = 250;
const forgottenAfterMs = 60_000;
/** Bulkhead: look-ups of made-up ids must not take the database's connections from payments. */
const lookupsMax = 2;
/**
 * Queue limit for strangers. Beyond it they are refused at once, before they wait longer than their timeout.
 */
export const lookupsWaitingMax = 64;
/** Rate limit of look-ups. The burst is for a restart, when all merchants come back at once. */
const lookupRate = { ratePerSecond: 200, burst: 1_000 };
/**
 * Negative cache: a missing id or key version is not looked up again for so long. A new key may wait that
 * long too, when strangers ask for others.
 */
const missedForMs = 1_000;
/** Ids kept in each set, existing and missing; one takes some hundred bytes. */
const namesMax = 50_000;

export function openClientDirectory(database: Database, monotonicMs: () => number): ClientDirectory {
  const memory = newMemory(database, monotonicMs);
  const names = newNameBook();
  const { ask, askAfresh } = shareQuestions(load);
  const inTurn = atMostAtOnce(lookupsMax);
  const strangersInTurn = atMostAtOnce(lookupsMax);
  const strangersRate = newLimiter(monotonicMs);
  let strangersWaiting = 0;

  async function load(clientId: string): Promise<KnownClient | undefined> {
    // Taken before the query: a change made while the answer travels is not in it.
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
  ): Promise<KnownClient | "nobody"> {
    const client = await askAfresh(clientId, turn);
    const entry = memory.trusted(clientId);
    const isMissed = keyVersion !== undefined && client?.keys.has(keyVersion) === false;
    if (entry && isMissed) entry.missedAtMs = monotonicMs();
    return client ?? "nobody";
  }

  return {
    find: async (clientId) => memory.trusted(clientId)?.client ?? ask(clientId, inTurn),

    remembered(clientId, keyVersion) {
      const entry = memory.trusted(clientId);
      if (!entry) return names.isNobody(clientId, monotonicMs()) ? "nobody" : undefined;
      // An unknown version may have been added a moment ago: a miss, unless it was looked up just now.
      const isKnown = keyVersion === undefined || entry.client.keys.has(keyVersion);
      return isKnown || monotonicMs() - entry.missedAtMs < missedForMs ? entry.client : undefined;
    },

    async lookUp(clientId, keyVersion) {
      if (names.isSomebody(clientId)) return askFor(clientId, keyVersion, inTurn);
      if (strangersWaiting >= lookupsWaitingMax || strangersRate.take("look-ups", lookupRate) > 0)
        return "too many wait";
      strangersWaiting += 1;
      try {
        return await askFor(clientId, keyVersion, strangersInTurn);
      } finally {
        strangersWaiting -= 1;
      }
    },

    refresh: () => memory.refresh(),
  };
}

/** Cache of the clients that have called lately, less than a second old. */
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

/** Which ids are known to exist, and which not to. */
interface NameBook {
  note(name: string, isSomebody: boolean, atMs: number): void;
  /** A merchant that has not called for a while does not queue behind made-up ids. */
  isSomebody(name: string): boolean;
  isNobody(name: string, nowMs: number): boolean;
}

function newNameBook(): NameBook {
  const somebodies = new Set<string>();
  /** Id → when it was looked up. */
  const nobodies = new Map<string, number>();
  return {
    note(name, isSomebody, atMs) {
      somebodies.delete(name);
      nobodies.delete(name);
      const book = isSomebody ? somebodies : nobodies;
      if (book.size >= namesMax) book.clear();
      if (isSomebody) somebodies.add(name);
      else nobodies.set(name, atMs);
    },
    isSomebody: (name) => somebodies.has(name),
    isNobody: (name, nowMs) => nowMs - (nobodies.get(name) ?? -Infinity) < missedForMs,
  };
}

function parseKeys(client: Client): ReadonlyMap<number, KeyObject> {
  const keys = new Map<number, KeyObject>();
  for (const [version, der] of client.publicKeys) {
    const key = publicKeyFromDer(der);
    // A key that today's rules refuse counts as missing.
    if (!isKeyProblem(key)) keys.set(version, key);
  }
  return keys;
}
