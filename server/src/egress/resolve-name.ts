import { Resolver } from "node:dns/promises";
import { withTimeout } from "../resilience/with-timeout.ts";

/** All IPv4 and IPv6 addresses of a name in DNS. Throws if there are none. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/**
 * DNS timeout in milliseconds, for each of the A and AAAA queries: a server that drops AAAA queries must not use up the
 * connect timeout.
 */
const answerMsMax = 1_500;

/**
 * Opens a resolver, which queries the servers of resolv.conf, or the given ones. `dns.lookup` is unsuitable: it blocks
 * libuv's thread pool, in which responses are signed, so a merchant with a slow name server would delay signing. It
 * also reads the hosts file, which names machines of our own network.
 */
export function openResolver(servers?: readonly string[]): ResolveName {
  return async (name) => {
    // Each name gets its own resolver, because a malformed response fails all other queries of the same resolver.
    const resolver = new Resolver({ timeout: 600, tries: 2 });
    if (servers) resolver.setServers(servers);
    const timeoutMessage = `DNS took longer than ${answerMsMax} ms.`;
    const queries = [resolver.resolve4(name), resolver.resolve6(name)];
    const answers = await Promise.allSettled(
      queries.map((answer) => withTimeout(answerMsMax, answer, timeoutMessage)),
    );
    resolver.cancel();
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failedAnswer = answers.find((answer) => answer.status === "rejected");
    if (addresses.length === 0) throw failedAnswer?.reason ?? new Error("DNS has no address.");
    return addresses;
  };
}
