/**
 * Payment methods of the sandbox provider: all methods without another connector, and cards, for which it has a page.
 */
export const walletMethods: readonly string[] = ["*", "CARD"];
