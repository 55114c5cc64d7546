import { requestEarly } from "./api/early-requests.ts";
import { catalogues, firstLanguage } from "./languages/catalogues.ts";

/**
 * The first script of the portal. It is small and runs while the rest is loading. It sends the requests that this URL
 * certainly needs in parallel. A missing request here only makes the page slower.
 */
const { pathname } = globalThis.location;

void catalogues[firstLanguage()]();
requestEarly("/accounts/announcement");
if (pathname === "/sign-in") requestEarly("/accounts/ways-in");
if (/^\/(?:$|(?:sandbox|live|people|approvals|security)(?:\/|$))/.test(pathname)) {
  requestEarly("/accounts/me");
  void import("./shell/shell.tsx");
}
