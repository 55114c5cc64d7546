/** Remembers which looks of staff the audit has, so that a page that renews itself does not fill it. */
export interface Looks {
  /** Whether the audit has had this look within the last minutes. */
  isFresh(look: string): boolean;
  note(look: string): void;
}

const freshMs = 10 * 60_000;
const kept = 5_000;

export function noteLooks(nowMs: () => number, most = kept): Looks {
  const notedAtMs = new Map<string, number>();
  return {
    isFresh: (look) => nowMs() - (notedAtMs.get(look) ?? -Infinity) < freshMs,
    note(look) {
      // Whatever is forgotten is noted once more, which harms nobody.
      if (notedAtMs.size >= most) notedAtMs.clear();
      notedAtMs.set(look, nowMs());
    },
  };
}
