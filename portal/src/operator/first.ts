import { requestEarly } from "../api/early-requests.ts";
import { catalogues, firstLanguage, operatorCatalogues } from "../languages/catalogues.ts";

/** The first script of the console. Like the portal's, it is small and sends the first requests in parallel. */
const { pathname } = globalThis.location;

void catalogues[firstLanguage()]();
void operatorCatalogues[firstLanguage()]();
if (pathname === "/sign-in") requestEarly("/accounts/ways-in");
if (/^\/(?:$|(?:sandbox|live|reviews|announcement|security)(?:\/|$))/.test(pathname)) {
  requestEarly("/accounts/me");
  void import("./operator-shell.tsx");
}
