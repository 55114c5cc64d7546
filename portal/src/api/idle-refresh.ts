import type { QueryClient } from "@tanstack/react-query";

/** Time without input after which the person counts as absent. */
const attentionMs = 5 * 60_000;
const signs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

let lastActivityMs = Date.now();

function isAttended(): boolean {
  return Date.now() - lastActivityMs < attentionMs;
}

/**
 * `pauseRefreshWhenIdle` implements the idle timeout. A list that refreshes itself would keep the session of an absent
 * person alive, so refreshing pauses after the timeout and resumes at the next input.
 */
export function pauseRefreshWhenIdle(queries: QueryClient): void {
  for (const sign of signs)
    addEventListener(
      sign,
      () => {
        const wasAttended = isAttended();
        lastActivityMs = Date.now();
        if (!wasAttended) void queries.invalidateQueries();
      },
      { passive: true, capture: true },
    );
}

/** `intervalWhileActive` is a value for `refetchInterval`: it refreshes only while the person is present. */
export function intervalWhileActive(everyMs: number): () => number | false {
  return () => (isAttended() ? everyMs : false);
}
