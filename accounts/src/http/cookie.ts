import type { Door } from "../people/site.ts";
import type { Cookie } from "../api/route.ts";
import { deviceLastsMs } from "../credentials/check-password.ts";

/**
 * With the prefix `__Host-`, browsers accept the cookie only if it is secure, for this host only, and for all paths.
 * Another host of the domain cannot set it.
 */
const names: Readonly<Record<Door, string>> = {
  portal: "__Host-tollgate",
  // Browsers separate cookies by host and not by port. On one computer both sites would share one cookie name.
  operator: "__Host-tollgate-operator",
};

/** Scripts cannot read the cookie, and requests from other sites do not send it. */
const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

export function setCookie(door: Door, cookie: Cookie, lastsMs: number): string {
  const name = names[door];
  if (cookie === "none") return `${name}=; ${attributes}; Max-Age=0`;
  return `${name}=${cookie.token}; ${attributes}; Max-Age=${lastsMs / 1000}`;
}

/**
 * The name of the cookie with the OpenID Connect state, different for each site, like the name of the session cookie.
 */
const stateName = (door: Door): string => `${names[door]}-oidc`;

/**
 * The only cookie with SameSite=Lax, because it must be sent with the redirect from the identity provider's site. It
 * grants no access.
 */
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

/**
 * The device cookie outlives the session and grants no access. It gives the browser its own limit of sign-in
 * attempts.
 */
export function setDevice(door: Door, token: string): string {
  return `${deviceName(door)}=${token}; ${attributes}; Max-Age=${deviceLastsMs / 1000}`;
}

export function deviceIn(door: Door, header: string | undefined): string | undefined {
  return valueOf(deviceName(door), header);
}

/**
 * `tokenIn` returns the session token of a request. Two session cookies count as none, because one was injected
 * (session fixation).
 */
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
