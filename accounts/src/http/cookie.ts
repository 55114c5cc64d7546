import type { Site } from "../people/site.ts";
import type { SessionCookie } from "../api/route.ts";
import { deviceLifetimeMs } from "../credentials/verify-password.ts";

/**
 * With the prefix `__Host-`, browsers accept the cookie only if it is secure, for this host only, and for all paths.
 * Another host of the domain cannot set it.
 */
const cookieNames: Readonly<Record<Site, string>> = {
  portal: "__Host-tollgate",
  // Browsers separate cookies by host and not by port. On one computer both sites would share one cookie name.
  operator: "__Host-tollgate-operator",
};

/** Scripts cannot read the cookie, and requests from other sites do not send it. */
const attributes = "Path=/; Secure; HttpOnly; SameSite=Strict";

export function sessionCookieHeader(site: Site, cookie: SessionCookie, lastsMs: number): string {
  const name = cookieNames[site];
  if (cookie === "none") return `${name}=; ${attributes}; Max-Age=0`;
  return `${name}=${cookie.token}; ${attributes}; Max-Age=${lastsMs / 1000}`;
}

/**
 * The name of the cookie with the OpenID Connect state, different for each site, like the name of the session cookie.
 */
const stateCookieName = (site: Site): string => `${cookieNames[site]}-oidc`;

/**
 * The only cookie with SameSite=Lax, because it must be sent with the redirect from the identity provider's site. It
 * grants no access.
 */
export function stateCookieHeader(site: Site, state: string): string {
  const lax = "Path=/; Secure; HttpOnly; SameSite=Lax";
  return state === "none"
    ? `${stateCookieName(site)}=; ${lax}; Max-Age=0`
    : `${stateCookieName(site)}=${state}; ${lax}; Max-Age=600`;
}

export function readState(site: Site, header: string | undefined): string | undefined {
  return readCookie(stateCookieName(site), header);
}

const deviceCookieName = (site: Site): string => `${cookieNames[site]}-device`;

/**
 * The device cookie outlives the session and grants no access. It gives the browser its own limit of sign-in
 * attempts.
 */
export function deviceCookieHeader(site: Site, token: string): string {
  return `${deviceCookieName(site)}=${token}; ${attributes}; Max-Age=${deviceLifetimeMs / 1000}`;
}

export function readDeviceToken(site: Site, header: string | undefined): string | undefined {
  return readCookie(deviceCookieName(site), header);
}

/**
 * `readSessionToken` returns the session token of a request. Two session cookies count as none, because one was injected
 * (session fixation).
 */
export function readSessionToken(site: Site, header: string | undefined): string | undefined {
  return readCookie(cookieNames[site], header);
}

function readCookie(cookie: string, header: string | undefined): string | undefined {
  const matches = (header ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookie}=`));
  const value = matches.length === 1 ? matches[0]?.slice(cookie.length + 1) : undefined;
  return value && /^[\w-]{43}$/.test(value) ? value : undefined;
}
