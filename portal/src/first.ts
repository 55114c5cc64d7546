import { askEarly } from "./api/asked-early.ts";
import { catalogues, firstLanguage } from "./languages/catalogues.ts";

/**
 * The first script: small, so that it runs while the rest is still on its way. Whatever this address will surely need is asked for at
 * once, and not one after the other. What is missing here only comes later.
 */
const { pathname } = globalThis.location;

void catalogues[firstLanguage()]();
askEarly("/accounts/announcement");
if (pathname === "/sign-in") askEarly("/accounts/ways-in");
if (/^\/(?:$|(?:sandbox|live|people|approvals|security)(?:\/|$))/.test(pathname)) {
  askEarly("/accounts/me");
  void import("./shell/shell.tsx");
}
