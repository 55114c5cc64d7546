import type { SecretCipher } from "../core/secret-cipher.ts";
import { pairExpiry, type IssuedPair, type Token, type TokenPair } from "./token.ts";

/** `createPair` creates a new pair for a token's row, with the hashes and the ciphertext to store. */
export function createPair(
  { tokenId, clientId }: Pick<Token, "tokenId" | "clientId">,
  { newToken, keyedHash, encrypt }: SecretCipher,
  now: Date,
): { readonly pair: TokenPair; readonly issued: IssuedPair } {
  const pair = { accessToken: newToken(), refreshToken: newToken() };
  return {
    pair,
    issued: {
      accessHash: keyedHash(pair.accessToken, clientId),
      refreshHash: keyedHash(pair.refreshToken, clientId),
      ...pairExpiry(now),
      issuedAt: now,
      sealedPair: encrypt(JSON.stringify(pair), tokenId),
    },
  };
}

/** `decryptPair` decrypts both tokens; undefined if they were deleted. */
export function decryptPair({ tokenId, issued }: Token, { decrypt }: SecretCipher): TokenPair | undefined {
  if (!issued?.sealedPair) return undefined;
  return JSON.parse(decrypt(issued.sealedPair, tokenId)) as TokenPair;
}
