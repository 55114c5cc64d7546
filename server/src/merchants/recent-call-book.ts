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
  // In the order in which clients were last heard of: a map keeps the order of insertion. The newest call comes last.
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
