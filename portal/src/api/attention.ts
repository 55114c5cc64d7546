import type { QueryClient } from "@tanstack/react-query";

/** Whoever has touched nothing for so long is taken to be gone. */
const attentionMs = 5 * 60_000;
const signs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

let lastSignMs = Date.now();

function isAttended(): boolean {
  return Date.now() - lastSignMs < attentionMs;
}

/**
 * Idle timeout: a list that renewed itself for ever would keep its session alive beside an empty chair. So it rests while nobody is
 * there, and is asked for anew at the first sign of somebody.
 */
export function watchAttention(queries: QueryClient): void {
  for (const sign of signs)
    addEventListener(
      sign,
      () => {
        const wasAttended = isAttended();
        lastSignMs = Date.now();
        if (!wasAttended) void queries.invalidateQueries();
      },
      { passive: true, capture: true },
    );
}

/** For `refetchInterval`. */
export function whileAttended(everyMs: number): () => number | false {
  return () => (isAttended() ? everyMs : false);
}
