import type { InTurn } from "./limits.ts";

/** Single flight: concurrent callers that need the same row share one query. */
export interface SingleFlight<Value> {
  /** Joins a running query, if there is one. */
  ask(about: string, turn: InTurn): Promise<Value>;
  /** Joins only a query that has not started, because a running query may have missed the latest change. */
  askAfresh(about: string, turn: InTurn): Promise<Value>;
}

export function newSingleFlight<Value>(find: (about: string) => Promise<Value>): SingleFlight<Value> {
  const asked = new Map<string, Promise<Value>>();
  const next = new Map<string, Promise<Value>>();

  function askNow(about: string, turn: InTurn): Promise<Value> {
    const answer = turn(() => find(about)).finally(() => asked.delete(about));
    asked.set(about, answer);
    return answer;
  }

  const ask = (about: string, turn: InTurn): Promise<Value> => asked.get(about) ?? askNow(about, turn);

  return {
    ask,
    askAfresh(about, turn) {
      const underWay = asked.get(about);
      if (!underWay) return askNow(about, turn);
      const waiting = next.get(about);
      if (waiting) return waiting;
      const answer = underWay
        .catch(() => undefined)
        .then(() => {
          next.delete(about);
          return ask(about, turn);
        });
      next.set(about, answer);
      return answer;
    },
  };
}
