/** Remembers which tokens have acted, for as long as they could act again (replay protection). */
export interface SpentTokens {
  /** False if it has acted before, or so many have that it cannot be told. */
  spend(token: { readonly jti: string; readonly exp: number }): boolean;
}

const kept = 10_000;

/** In the memory of one process. Behind several, an act is still done once: its request id decides. */
export function rememberSpentTokens(nowMs: () => number, most = kept): SpentTokens {
  /** Nonce → when the token expires, in seconds since 1970. */
  const spent = new Map<string, number>();
  return {
    spend({ jti, exp }) {
      if (spent.has(jti)) return false;
      if (spent.size >= most) forgetExpired(spent, nowMs() / 1000);
      if (spent.size >= most) return false;
      spent.set(jti, exp);
      return true;
    },
  };
}

function forgetExpired(spent: Map<string, number>, nowSeconds: number): void {
  for (const [jti, exp] of spent) if (exp <= nowSeconds) spent.delete(jti);
}
