import type { KeyObject } from "node:crypto";
import type { Client } from "../merchants/client.ts";
import { findClient, listRevisions } from "../merchants/client.sql.ts";
import type { Database } from "../postgres/database.ts";
import { isKeyProblem, publicKeyFromDer } from "../signing/public-key.ts";
import { atMostAtOnce, newLimiter, type InTurn } from "./limits.ts";
import { shareQuestions } from "./shared-questions.ts";

/** A client with its keys parsed: parsing one takes ten times as long as verifying with it. */
export interface KnownClient extends Client {
  readonly keys: ReadonlyMap<number, KeyObject>;
}

export interface ClientDirectory {
  /** A client whose name comes from a proven caller or from our own records: whoever asks waits its turn. */
  find(clientId: string): Promise<KnownClient | undefined>;
  /** What is remembered of a name that somebody gave, and of a key version; undefined when it is worth asking for. */
  remembered(clientId: string, keyVersion?: number): KnownClient | "nobody" | undefined;
  /** Asks for what is not remembered, in the name of somebody who is not proven: the wait for that has an end. */
  lookUp(clientId: string, keyVersion?: number): Promise<KnownClient | "nobody" | "too many wait">;
  /** Compares what is remembered with the database; called several times a second. */
  refresh(): Promise<void>;
}

interface Entry {
  readonly client: KnownClient;
  checkedAtMs: number;
  usedAtMs: number;
  /** When it was last asked in vain for a key version that is not among its keys. */
  missedAtMs: number;
}

/** Past this age nothing that is remembered counts, so a revoked key is refused within a second. */
const trustedForMs = 900;
export const refreshEveryMs = 250;
const forgottenAfterMs = 60_000;
/** Anybody can make us look for ids that nobody has: that must not take the database away from payments. */
const lookupsMax = 2;
/** Of strangers. Who comes later is told so at once, instead of waiting longer than it has patience for. */
export const lookupsWaitingMax = 64;
/** In the long run; all merchants of a process that has just started can come back at once. */
const lookupRate = { ratePerSecond: 200, burst: 1_000 };
/** For so long nobody is asked again for what was not there: also a new key may wait for it, if strangers ask for others. */
const missedForMs = 1_000;
/** Names that nobody has, or that somebody has; one name is some hundred bytes. */
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
    // Taken before the question: what changes while the answer travels is not in it.
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
      // A version that is not among its keys may have been added a moment ago.
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

/** The clients that have called lately, as they were less than a second ago. */
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

/** Which names somebody has, and which nobody, as far as it was asked. */
interface NameBook {
  note(name: string, isSomebody: boolean, atMs: number): void;
  /** Whoever has not called for a while does not queue up behind those who make names up. */
  isSomebody(name: string): boolean;
  isNobody(name: string, nowMs: number): boolean;
}

function newNameBook(): NameBook {
  const somebodies = new Set<string>();
  /** With when that was found out. */
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
    // A key that the rules of today refuse is as good as none.
    if (!isKeyProblem(key)) keys.set(version, key);
  }
  return keys;
}
