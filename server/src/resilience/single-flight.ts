import type { Semaphore } from "./limits.ts";

/** Single flight: concurrent callers that need the same row share one query. */
export interface SingleFlight<Value> {
  /** Joins a running query, if there is one. */
  query(key: string, semaphore: Semaphore): Promise<Value>;
  /** Joins only a query that has not started, because a running query may have missed the latest change. */
  queryFresh(key: string, semaphore: Semaphore): Promise<Value>;
}

export function newSingleFlight<Value>(find: (key: string) => Promise<Value>): SingleFlight<Value> {
  const running = new Map<string, Promise<Value>>();
  const next = new Map<string, Promise<Value>>();

  function startQuery(key: string, semaphore: Semaphore): Promise<Value> {
    const result = semaphore(() => find(key)).finally(() => running.delete(key));
    running.set(key, result);
    return result;
  }

  const query = (key: string, semaphore: Semaphore): Promise<Value> =>
    running.get(key) ?? startQuery(key, semaphore);

  return {
    query,
    queryFresh(key, semaphore) {
      const runningQuery = running.get(key);
      if (!runningQuery) return startQuery(key, semaphore);
      const waiting = next.get(key);
      if (waiting) return waiting;
      const result = runningQuery
        .catch(() => undefined)
        .then(() => {
          next.delete(key);
          return query(key, semaphore);
        });
      next.set(key, result);
      return result;
    },
  };
}
