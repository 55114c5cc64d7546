import { refuse, type Refusal } from "../core/result.ts";

/** Where a merchant may send its buyers. */
export interface LinkRules {
  readonly environment: string;
  /** URL schemes of the merchant's apps, in lower case, without the colon. */
  readonly linkSchemes: readonly string[];
}

/** Allow list: nobody can foresee what a browser or a system makes of other schemes. */
export function mayLink(address: string, { environment, linkSchemes }: LinkRules): boolean {
  // Parsed as a browser does: to it `java\nscript:` is `javascript:`.
  const scheme = URL.parse(address)?.protocol.slice(0, -1);
  if (scheme === undefined) return false;
  return (
    scheme === "https" || (scheme === "http" && environment === "sandbox") || linkSchemes.includes(scheme)
  );
}

/** Schemes that systems and browsers handle, or that we allow already; no merchant's app may have them. */
const neverRegistered =
  /^(?:https?|wss?|ftp|file|filesystem|data|blob|about|javascript|vbscript|view-source|feed|intent|search|tel|sms|mailto|ssh|ldap|jar|res|chrome.*|edge|moz-.*|ms-.*|search-ms|shell|vnd\..*|x-apple.*|itms.*)$/;

/** Whether a merchant's app may register this scheme. */
export function isSchemeOfAnApp(scheme: string): boolean {
  return /^[a-z][a-z0-9+.-]{2,63}$/.test(scheme) && !neverRegistered.test(scheme);
}

/**
 * We sign refusals for any path below /ams, for any caller. A notification to such a path would have the same
 * signed text, so a refusal could be replayed as one.
 */
export function mayNotify(address: string): boolean {
  const path = URL.parse(address)?.pathname ?? "";
  return !/^[/\\]*ams(?:[/\\;]|$)/i.test(decoded(path));
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

type Addresses = Readonly<Record<string, string | undefined>>;

/** The first address in a request, by its field, that leads where it must not. */
export function addressRefusal(
  rules: LinkRules,
  { links = {}, notify = {} }: { readonly links?: Addresses; readonly notify?: Addresses },
): Refusal<"PARAM_ILLEGAL"> | undefined {
  const [link] = Object.entries(links).find(([, url]) => url !== undefined && !mayLink(url, rules)) ?? [];
  if (link !== undefined) return refuse("PARAM_ILLEGAL", { field: link, detail: `${link}: ${linkRule}` });
  const [told] = Object.entries(notify).find(([, url]) => url !== undefined && !mayNotify(url)) ?? [];
  if (told !== undefined) return refuse("PARAM_ILLEGAL", { field: told, detail: `${told}: ${notifyRule}` });
  const [odd] =
    Object.entries(notify).find(([, url]) => url !== undefined && !isForNotices(url, rules)) ?? [];
  if (odd !== undefined) return refuse("PARAM_ILLEGAL", { field: odd, detail: `${odd}: ${schemeRule}` });
  return undefined;
}

/** Nothing can be posted to `htp:`. Live finds that out when it posts; the sandbox says it at once. */
function isForNotices(address: string, { environment }: LinkRules): boolean {
  return environment !== "sandbox" || /^https?:$/.test(URL.parse(address)?.protocol ?? "");
}

const schemeRule = "it has to begin with https://, or in the sandbox with http://.";
const linkRule = "it has to begin with https, or with a scheme of yours that is registered with us.";
export const notifyRule = "its path must not lie below /ams.";
