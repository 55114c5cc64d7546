import { askEarly } from "../api/asked-early.ts";
import { catalogues, firstLanguage, operatorCatalogues } from "../languages/catalogues.ts";

/** The first script, as the portal's is: small, and it asks for what comes next at once. */
const { pathname } = globalThis.location;

void catalogues[firstLanguage()]();
void operatorCatalogues[firstLanguage()]();
if (pathname === "/sign-in") askEarly("/accounts/ways-in");
if (/^\/(?:$|(?:sandbox|live|reviews|announcement|security)(?:\/|$))/.test(pathname)) {
  askEarly("/accounts/me");
  void import("./operator-shell.tsx");
}
