import type { IncomingMessage } from "node:http";

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}

/**
 * Whether a request comes from the developer of this machine, who may do on the pages what control permits with the
 * secret. The name in `Host` must be this machine's as well. A foreign name that resolves to this machine (DNS
 * rebinding) belongs to another site's page, and a proxy on this machine forwards requests of any client.
 */
export function isDeveloper({ socket, headers }: IncomingMessage, listsOrders: boolean): boolean {
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? "");
  return listsOrders && isHere && isLoopback(socket.remoteAddress ?? "");
}

/** Protects from cross-site request forgery (CSRF): whether another site's page sent this request. */
export function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
