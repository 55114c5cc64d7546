import type { IncomingMessage } from "node:http";

/** Whether an address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}

/**
 * Whether a request comes from the developer of this machine, who may cause on the pages everything that the control
 * API permits with its secret. The name in `Host` must be this machine's as well: a page of another site can use a
 * foreign name that resolves to this machine (DNS rebinding), and a proxy on this machine forwards requests of any
 * client.
 */
export function isDeveloper({ socket, headers }: IncomingMessage, listsOrders: boolean): boolean {
  const isLocalHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? "");
  return listsOrders && isLocalHost && isLoopback(socket.remoteAddress ?? "");
}

/** Whether another site's page sent this request (cross-site request forgery, CSRF). */
export function isCrossSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
