import type { RecentCall } from "../core/recent-call.ts";

/** The last API requests of each client, in the memory of this process, for developers in the sandbox. */
export interface RecentCallCache {
  add(clientId: string, call: RecentCall): void;
  /** The newest first. */
  list(clientId: string): readonly RecentCall[];
}

/** Maximum number of requests per client: this many authenticated and this many unauthenticated requests. */
export const requestsMax = 50;
/** Memory limits: above these limits the cache drops the clients whose requests are the oldest. */
const clientsMax = 2_000;
const charactersMax = 16_000_000;

export function openRecentCallCache(): RecentCallCache {
  // Authenticated and unauthenticated requests have separate stores, so that unauthenticated requests do not displace a
  // merchant's authenticated ones.
  const stores = { authenticated: createRequestStore(), unauthenticated: createRequestStore() };
  return {
    add(clientId, call) {
      stores[call.isProven ? "authenticated" : "unauthenticated"].add(clientId, call);
    },
    list(clientId) {
      const all = [...stores.authenticated.list(clientId), ...stores.unauthenticated.list(clientId)];
      return all.toSorted((a, b) => b.at.getTime() - a.at.getTime());
    },
  };
}

type RequestStore = RecentCallCache;

function createRequestStore(): RequestStore {
  // Requests by client, in the order of the client's last request, because a Map keeps the insertion order. The newest
  // request comes last.
  const byClient = new Map<string, RecentCall[]>();
  let characters = 0;

  function dropClient(clientId: string): void {
    for (const call of byClient.get(clientId) ?? []) characters -= countCharacters(call);
    byClient.delete(clientId);
  }

  return {
    add(clientId, call) {
      const calls = byClient.get(clientId) ?? [];
      calls.push(call);
      const dropped = calls.length > requestsMax ? calls.shift() : undefined;
      characters += countCharacters(call) - (dropped ? countCharacters(dropped) : 0);
      byClient.delete(clientId);
      byClient.set(clientId, calls);
      while (byClient.size > clientsMax || (characters > charactersMax && byClient.size > 1))
        dropClient(byClient.keys().next().value ?? "");
    },
    list: (clientId) => byClient.get(clientId)?.toReversed() ?? [],
  };
}

function countCharacters({ requestBody, answerBody }: RecentCall): number {
  return requestBody.length + answerBody.length;
}
