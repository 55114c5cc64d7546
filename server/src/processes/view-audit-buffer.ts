/** Remembers which views of staff are in the audit log, so that a page that refreshes itself does not fill the log. */
export interface ViewAuditBuffer {
  /** Whether this view was written to the audit log within the last minutes. */
  isFresh(look: string): boolean;
  note(look: string): void;
}

const freshMs = 10 * 60_000;
const kept = 5_000;

export function newViewAuditBuffer(nowMs: () => number, most = kept): ViewAuditBuffer {
  const notedAtMs = new Map<string, number>();
  return {
    isFresh: (look) => nowMs() - (notedAtMs.get(look) ?? -Infinity) < freshMs,
    note(look) {
      // At the maximum, all views are forgotten. A forgotten view is logged once more, which does no harm.
      if (notedAtMs.size >= most) notedAtMs.clear();
      notedAtMs.set(look, nowMs());
    },
  };
}
