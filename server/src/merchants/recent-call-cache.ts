import type { RecentCall } from "../core/recent-call.ts";

/** The last API requests of each client, in the memory of this process, for developers in the sandbox. */
export interface RecentCallCache {
  add(clientId: string, call: RecentCall): void;
  /** The newest first. */
  of(clientId: string): readonly RecentCall[];
}

/** Maximum number of requests per client: this many authenticated and this many unauthenticated requests. */
export const callsMax = 50;
/** Memory limits: above these limits the cache drops the clients whose requests are the oldest. */
const clientsMax = 2_000;
const charactersMax = 16_000_000;

export function openRecentCallCache(): RecentCallCache {
  // Authenticated and unauthenticated requests have separate stores, so that unauthenticated requests do not displace a
  // merchant's authenticated ones.
  const shelves = { proven: newShelf(), unproven: newShelf() };
  return {
    add(clientId, call) {
      shelves[call.isProven ? "proven" : "unproven"].add(clientId, call);
    },
    of(clientId) {
      const all = [...shelves.proven.of(clientId), ...shelves.unproven.of(clientId)];
      return all.toSorted((one, other) => other.at.getTime() - one.at.getTime());
    },
  };
}

type Shelf = RecentCallCache;

function newShelf(): Shelf {
  // Requests by client, in the order of the client's last request, because a Map keeps the insertion order. The newest
  // request comes last.
  const byClient = new Map<string, RecentCall[]>();
  let characters = 0;

  function forget(clientId: string): void {
    for (const call of byClient.get(clientId) ?? []) characters -= charactersOf(call);
    byClient.delete(clientId);
  }

  return {
    add(clientId, call) {
      const calls = byClient.get(clientId) ?? [];
      calls.push(call);
      const dropped = calls.length > callsMax ? calls.shift() : undefined;
      characters += charactersOf(call) - (dropped ? charactersOf(dropped) : 0);
      byClient.delete(clientId);
      byClient.set(clientId, calls);
      while (byClient.size > clientsMax || (characters > charactersMax && byClient.size > 1))
        forget(byClient.keys().next().value ?? "");
    },
    of: (clientId) => byClient.get(clientId)?.toReversed() ?? [],
  };
}

function charactersOf({ requestBody, answerBody }: RecentCall): number {
  return requestBody.length + answerBody.length;
}
