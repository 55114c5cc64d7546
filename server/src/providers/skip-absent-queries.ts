import type { Connector } from "./connector.ts";
import { offersQuery } from "./connector-terms.ts";
import type { Provider } from "./provider.ts";

const noQuery = { state: "NO_QUERY" } as const;

/**
 * `skipAbsentQueries` replaces the inquiries that the provider does not answer, by its facts, by the report NO_QUERY.
 * The gateway then waits for a callback.
 */
export function skipAbsentQueries(provider: Provider, connector: Pick<Connector, "facts">): Provider {
  const isAbsent = (query: Parameters<typeof offersQuery>[1]): boolean => !offersQuery(connector, query);
  return {
    ...provider,
    ...(isAbsent("order") && { inquire: async () => noQuery }),
    ...(isAbsent("capture") && { inquireCapture: async () => noQuery }),
    ...(isAbsent("refund") && { inquireRefund: async () => noQuery }),
    ...(isAbsent("dispute") && { inquireDispute: async () => noQuery.state }),
    ...(isAbsent("registration") && { inquireRegistration: async () => noQuery }),
  };
}
