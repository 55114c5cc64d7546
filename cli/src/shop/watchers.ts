import type { ServerResponse } from "node:http";

/** Open pages that receive changes of an order (server-sent events). */
export interface Watchers {
  /**
   * Sends the current version of the order at once and after each change. The response stays open until the page is
   * closed.
   */
  add(orderId: string, response: ServerResponse): void;
  notify(orderId: string): void;
}

/**
 * Creates the list of open pages. `versionOf` returns the current version of an order, which the pages compare with
 * their own.
 */
export function createWatchers(versionOf: (orderId: string) => number): Watchers {
  const watchers = new Map<string, Set<ServerResponse>>();
  const formatEvent = (orderId: string): string => `data: ${versionOf(orderId)}\n\n`;
  return {
    add(orderId, response) {
      const responses = watchers.get(orderId) ?? new Set();
      watchers.set(orderId, responses.add(response));
      response.once("close", () => {
        responses.delete(response);
        if (responses.size === 0) watchers.delete(orderId);
      });
      response.write(formatEvent(orderId));
    },
    notify(orderId) {
      for (const response of watchers.get(orderId) ?? []) response.write(formatEvent(orderId));
    },
  };
}
