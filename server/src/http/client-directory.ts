import type { KeyObject } from "node:crypto";
import type { Client } from "../merchants/client.ts";
import { findClient, listRevisions } from "../merchants/client.sql.ts";
import type { Database } from "../postgres/database.ts";
import { isKeyProblem, publicKeyFromDer } from "../signing/public-key.ts";
import { atMostAtOnce } from "./limits.ts";

/** A client with its keys parsed: parsing one takes ten times as long as verifying with it. */
export interface KnownClient extends Client {
  readonly keys: ReadonlyMap<number, KeyObject>;
}

export interface ClientDirectory {
  /** A key version that is not remembered may have been added a moment ago, so then the database is asked. */
  find(clientId: string, keyVersion?: number): Promise<KnownClient | undefined>;
  /** Compares what is remembered with the database; called several times a second. */
  refresh(): Promise<void>;
}

interface Entry {
  readonly client: KnownClient;
  checkedAtMs: number;
  usedAtMs: number;
}

/** Past this age nothing that is remembered counts, so a revoked key is refused within a second. */
const trustedForMs = 900;
export const refreshEveryMs = 250;
const forgottenAfterMs = 60_000;
/** Anybody can make us look for ids that nobody has: that must not take the database away from payments. */
const lookupsMax = 2;

export function openClientDirectory(database: Database, monotonicMs: () => number): ClientDirectory {
  const entries = new Map<string, Entry>();
  const loading = new Map<string, Promise<KnownClient | undefined>>();
  const inTurn = atMostAtOnce(lookupsMax);

  const load = (clientId: string): Promise<KnownClient | undefined> => inTurn(() => loadNow(clientId));

  async function loadNow(clientId: string): Promise<KnownClient | undefined> {
    // Taken before the question: what changes while the answer travels is not in it.
    const checkedAtMs = monotonicMs();
    const client = await findClient(database.reader([clientId]), clientId);
    if (!client) {
      entries.delete(clientId);
      return undefined;
    }
    const known = { ...client, keys: parseKeys(client) };
    entries.set(clientId, { client: known, checkedAtMs, usedAtMs: checkedAtMs });
    return known;
  }

  return {
    async find(clientId, keyVersion) {
      const entry = entries.get(clientId);
      const nowMs = monotonicMs();
      if (entry && nowMs - entry.checkedAtMs < trustedForMs) {
        // Not together with others: a question that was asked before the key was added does not know of it.
        if (keyVersion !== undefined && !entry.client.keys.has(keyVersion)) return load(clientId);
        entry.usedAtMs = nowMs;
        return entry.client;
      }
      const loaded = loading.get(clientId) ?? load(clientId).finally(() => loading.delete(clientId));
      loading.set(clientId, loaded);
      return loaded;
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

function parseKeys(client: Client): ReadonlyMap<number, KeyObject> {
  const keys = new Map<number, KeyObject>();
  for (const [version, der] of client.publicKeys) {
    const key = publicKeyFromDer(der);
    // A key that the rules of today refuse is as good as none.
    if (!isKeyProblem(key)) keys.set(version, key);
  }
  return keys;
}
