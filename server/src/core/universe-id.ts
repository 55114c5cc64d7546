/**
 * Prefix of the client ids of isolated test merchants (universes). Client ids of an operator's merchants contain no
 * vowels, so none of them begins with this prefix.
 */
const universePrefix = "SANDBOX_U";

/** Whether a client id is that of an isolated test merchant; see `universes/universe.ts`. */
export function isUniverseId(clientId: string): boolean {
  return clientId.startsWith(universePrefix);
}
