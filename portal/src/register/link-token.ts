/** The token of a link from a letter. It stands behind the #, which browsers send to nobody. */
export function linkToken(): string {
  return globalThis.location.hash.slice(1);
}
