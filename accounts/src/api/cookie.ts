import type { Door } from "../sessions/door.ts";
import type { Cookie } from "./route.ts";

/**
 * The prefix `__Host-` makes browsers refuse the cookie unless it is secure, of this host alone, and for all of its
 * paths: no other host of the domain can set one in its place.
 */
const names: Readonly<Record<Door, string>> = {
  portal: "__Host-tollgate",
  // Browsers keep cookies by host and not by port, so on one machine both doors would share one name.
  operator: "__Host-tollgate-operator",
};

/** No script reads it, and no other site's page sends it along. */
const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

export function setCookie(door: Door, cookie: Cookie, lastsMs: number): string {
  const name = names[door];
  if (cookie === "none") return `${name}=; ${attributes}; Max-Age=0`;
  return `${name}=${cookie.token}; ${attributes}; Max-Age=${lastsMs / 1000}`;
}

/** The session token that a browser sent. Two of them are none: one was planted. */
export function tokenIn(door: Door, header: string | undefined): string | undefined {
  const name = names[door];
  const found = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  const token = found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
  return token && /^[\w-]{43}$/.test(token) ? token : undefined;
}
