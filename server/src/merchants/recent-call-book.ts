import type { RecentCall } from "./recent-call.ts";

/** The last calls of each client, in this process alone: for developers in the sandbox, and gone with the process. */
export interface RecentCallBook {
  add(clientId: string, call: RecentCall): void;
  /** The newest first. */
  of(clientId: string): readonly RecentCall[];
}

/** The limit for each client: so many that are proven, and so many that are not. */
export const callsMax = 50;
/** Bounds memory: beyond these, what was heard of longest ago is forgotten. */
const clientsMax = 2_000;
const charactersMax = 16_000_000;

export function openRecentCallBook(): RecentCallBook {
  // Apart, so that nothing a stranger sends drives out what a merchant has really called.
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

type Shelf = RecentCallBook;

function newShelf(): Shelf {
  // In the order in which clients were last heard of: a map keeps the order of insertion.
  const byClient = new Map<string, readonly RecentCall[]>();
  let characters = 0;

  function forget(clientId: string): void {
    characters -= charactersOf(byClient.get(clientId) ?? []);
    byClient.delete(clientId);
  }

  return {
    add(clientId, call) {
      const calls = [call, ...(byClient.get(clientId) ?? [])].slice(0, callsMax);
      forget(clientId);
      byClient.set(clientId, calls);
      characters += charactersOf(calls);
      while (byClient.size > clientsMax || (characters > charactersMax && byClient.size > 1))
        forget(byClient.keys().next().value ?? "");
    },
    of: (clientId) => byClient.get(clientId) ?? [],
  };
}

function charactersOf(calls: readonly RecentCall[]): number {
  return calls.reduce((sum, { requestBody, answerBody }) => sum + requestBody.length + answerBody.length, 0);
}
