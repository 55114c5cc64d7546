/** What the sandbox wallet serves: every wallet that no other connector names, and cards, which it has a page for. */
export const walletMethods: readonly string[] = ["*", "CARD"];
