import type { IncomingMessage } from "node:http";

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}

/**
 * Whether a request comes from the one person whose machine this is: such a person may do on the pages what control does
 * with the secret. The name in `Host` has to be this machine's as well: a foreign name that leads here (DNS rebinding)
 * brings somebody else's page along, and a proxy on this machine brings anybody.
 */
export function isDeveloper({ socket, headers }: IncomingMessage, listsOrders: boolean): boolean {
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? "");
  return listsOrders && isHere && isLoopback(socket.remoteAddress ?? "");
}

/** Cross-site request forgery: whether another site's page has sent this from the reader's browser. */
export function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
