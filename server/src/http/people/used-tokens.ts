/** Remembers which tokens were used for an act, until they expire (replay protection). */
export interface UsedTokens {
  /** Returns false if the token was used before, or if the memory of used tokens is full. */
  markUsed(token: { readonly jti: string; readonly exp: number }): boolean;
}

const usedTokensMax = 10_000;

/**
 * Used tokens are kept in the memory of one process. With several processes an act still takes effect once, by its
 * request id.
 */
export function newUsedTokens(nowMs: () => number, tokensMax = usedTokensMax): UsedTokens {
  /** Maps a nonce to the time when its token expires, in seconds since 1970. */
  const spent = new Map<string, number>();
  return {
    markUsed({ jti, exp }) {
      if (spent.has(jti)) return false;
      if (spent.size >= tokensMax) forgetExpired(spent, nowMs() / 1000);
      if (spent.size >= tokensMax) return false;
      spent.set(jti, exp);
      return true;
    },
  };
}

function forgetExpired(spent: Map<string, number>, nowSeconds: number): void {
  for (const [jti, exp] of spent) if (exp <= nowSeconds) spent.delete(jti);
}
