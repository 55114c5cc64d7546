import type { SecretKeeper } from "../core/secret-keeper.ts";
import { pairExpiry, type IssuedPair, type Token, type TokenPair } from "./token.ts";

/** `makePair` creates a new pair for a token's row, with the hashes and the ciphertext to store. */
export function makePair(
  { tokenId, clientId }: Pick<Token, "tokenId" | "clientId">,
  { newToken, hashOf, seal }: SecretKeeper,
  now: Date,
): { readonly pair: TokenPair; readonly issued: IssuedPair } {
  const pair = { accessToken: newToken(), refreshToken: newToken() };
  return {
    pair,
    issued: {
      accessHash: hashOf(pair.accessToken, clientId),
      refreshHash: hashOf(pair.refreshToken, clientId),
      ...pairExpiry(now),
      issuedAt: now,
      sealedPair: seal(JSON.stringify(pair), tokenId),
    },
  };
}

/** `openPair` decrypts both tokens; undefined if they were deleted. */
export function openPair({ tokenId, issued }: Token, { unseal }: SecretKeeper): TokenPair | undefined {
  if (!issued?.sealedPair) return undefined;
  return JSON.parse(unseal(issued.sealedPair, tokenId)) as TokenPair;
}
