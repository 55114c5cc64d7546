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

/** One for each door, as the sessions are. */
const stateName = (door: Door): string => `${names[door]}-oidc`;

/** SameSite=Lax, and this one alone: it comes back with a link from the identity provider's site. It opens nothing. */
export function setState(door: Door, state: string): string {
  const lax = "Path=/; Secure; HttpOnly; SameSite=Lax";
  return state === "none"
    ? `${stateName(door)}=; ${lax}; Max-Age=0`
    : `${stateName(door)}=${state}; ${lax}; Max-Age=600`;
}

export function stateIn(door: Door, header: string | undefined): string | undefined {
  return valueOf(stateName(door), header);
}

const deviceName = (door: Door): string => `${names[door]}-device`;

/** How long a browser is a known device after a sign-in. */
export const deviceLastsMs = 90 * 24 * 3_600_000;

/** Outlasts the session, and opens nothing: it gives the browser tries of its own. */
export function setDevice(door: Door, token: string): string {
  return `${deviceName(door)}=${token}; ${attributes}; Max-Age=${deviceLastsMs / 1000}`;
}

export function deviceIn(door: Door, header: string | undefined): string | undefined {
  return valueOf(deviceName(door), header);
}

/** The session token that a browser sent. Two of them are none: one was planted. */
export function tokenIn(door: Door, header: string | undefined): string | undefined {
  return valueOf(names[door], header);
}

function valueOf(cookie: string, header: string | undefined): string | undefined {
  const found = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookie}=`));
  const value = found.length === 1 ? found[0]?.slice(cookie.length + 1) : undefined;
  return value && /^[\w-]{43}$/.test(value) ? value : undefined;
}
