import type { ServerResponse } from "node:http";

/** Open pages that receive changes of an order (server-sent events). */
export interface Watchers {
  /**
   * Sends the current version of the order at once and after each change. The response stays open until the page is
   * closed.
   */
  add(orderId: string, response: ServerResponse): void;
  tell(orderId: string): void;
}

/**
 * Creates the list of open pages. `versionOf` returns the current version of an order, which the pages compare with
 * their own.
 */
export function newWatchers(versionOf: (orderId: string) => number): Watchers {
  const watchers = new Map<string, Set<ServerResponse>>();
  const lineOf = (orderId: string): string => `data: ${versionOf(orderId)}\n\n`;
  return {
    add(orderId, response) {
      const watching = watchers.get(orderId) ?? new Set();
      watchers.set(orderId, watching.add(response));
      response.once("close", () => {
        watching.delete(response);
        if (watching.size === 0) watchers.delete(orderId);
      });
      response.write(lineOf(orderId));
    },
    tell(orderId) {
      for (const response of watchers.get(orderId) ?? []) response.write(lineOf(orderId));
    },
  };
}
