/** Client ids of universes begin so. An operator's merchants have no such ids: theirs are made without vowels. */
const universePrefix = "SANDBOX_U";

/** Whether a client id is that of a universe; see `universes/universe.ts`. */
export function isUniverseId(clientId: string): boolean {
  return clientId.startsWith(universePrefix);
}
