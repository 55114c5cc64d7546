import { refuse, type Refusal } from "../core/result.ts";

/** Rules for URLs to which a merchant may send its buyers. */
export interface RedirectRules {
  readonly environment: string;
  /** URL schemes of the merchant's apps, in lower case, without the colon. */
  readonly linkSchemes: readonly string[];
}

/**
 * `isAllowedRedirect` checks the scheme against an allow list, because the effect of other schemes in browsers and operating
 * systems is unpredictable.
 */
export function isAllowedRedirect(address: string, { environment, linkSchemes }: RedirectRules): boolean {
  // `URL.parse` reads an address in the same way as a browser: for a browser, `java\nscript:` is `javascript:`.
  const scheme = URL.parse(address)?.protocol.slice(0, -1);
  if (scheme === undefined) return false;
  return (
    scheme === "https" || (scheme === "http" && environment === "sandbox") || linkSchemes.includes(scheme)
  );
}

/**
 * URL schemes that no merchant's app may register: operating systems and browsers handle them, or the gateway allows
 * them anyway.
 */
const reservedSchemes =
  /^(?:https?|wss?|ftp|file|filesystem|data|blob|about|javascript|vbscript|view-source|feed|intent|search|tel|sms|mailto|ssh|ldap|jar|res|chrome.*|edge|moz-.*|ms-.*|search-ms|shell|vnd\..*|x-apple.*|itms.*)$/;

/** `isAppScheme` returns whether a merchant's app may register this scheme. */
export function isAppScheme(scheme: string): boolean {
  return /^[a-z][a-z0-9+.-]{2,63}$/.test(scheme) && !reservedSchemes.test(scheme);
}

/**
 * `isAllowedWebhookUrl` rejects webhook URLs below /ams. The gateway signs rejections for any path below /ams, for any caller. A
 * webhook to such a path would have the same signed text, so an attacker could replay a rejection as a webhook.
 */
export function isAllowedWebhookUrl(address: string): boolean {
  const path = URL.parse(address)?.pathname ?? "";
  return !/^[/\\]*ams(?:[/\\;]|$)/i.test(decodePath(path));
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

type UrlFields = Readonly<Record<string, string | undefined>>;

/** `findUrlRefusal` returns a rejection for the first URL in a request that is not allowed, with its field. */
export function findUrlRefusal(
  rules: RedirectRules,
  { links = {}, notify = {} }: { readonly links?: UrlFields; readonly notify?: UrlFields },
): Refusal<"PARAM_ILLEGAL"> | undefined {
  const [redirectField] =
    Object.entries(links).find(([, url]) => url !== undefined && !isAllowedRedirect(url, rules)) ?? [];
  if (redirectField !== undefined)
    return refuse("PARAM_ILLEGAL", { field: redirectField, detail: `${redirectField}: ${redirectRule}` });
  const [webhookField] =
    Object.entries(notify).find(([, url]) => url !== undefined && !isAllowedWebhookUrl(url)) ?? [];
  if (webhookField !== undefined)
    return refuse("PARAM_ILLEGAL", { field: webhookField, detail: `${webhookField}: ${webhookPathRule}` });
  const [invalidField] =
    Object.entries(notify).find(([, url]) => url !== undefined && !isWebhookScheme(url, rules)) ?? [];
  if (invalidField !== undefined)
    return refuse("PARAM_ILLEGAL", { field: invalidField, detail: `${invalidField}: ${schemeRule}` });
  return undefined;
}

/**
 * `isWebhookScheme` returns whether a webhook URL has a valid scheme, unlike the typo `htp:`. In live a webhook to an
 * invalid scheme fails at delivery; the sandbox rejects the request immediately.
 */
function isWebhookScheme(address: string, { environment }: RedirectRules): boolean {
  return environment !== "sandbox" || /^https?:$/.test(URL.parse(address)?.protocol ?? "");
}

const schemeRule = "it must start with https://, or in the sandbox with http://.";
const redirectRule =
  "it must start with https, or with a URL scheme of your app that is registered with the operator.";
export const webhookPathRule = "its path must not lie below /ams.";
