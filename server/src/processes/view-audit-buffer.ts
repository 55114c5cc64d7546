/** Remembers which views of staff are in the audit log, so that a page that refreshes itself does not fill the log. */
export interface ViewAuditBuffer {
  /** Whether this view was written to the audit log within the last minutes. */
  isFresh(view: string): boolean;
  note(view: string): void;
}

const freshMs = 10 * 60_000;
const viewsMaxDefault = 5_000;

export function newViewAuditBuffer(nowMs: () => number, viewsMax = viewsMaxDefault): ViewAuditBuffer {
  const notedAtMs = new Map<string, number>();
  return {
    isFresh: (view) => nowMs() - (notedAtMs.get(view) ?? -Infinity) < freshMs,
    note(view) {
      // At the maximum, all views are forgotten. A forgotten view is logged once more, which does no harm.
      if (notedAtMs.size >= viewsMax) notedAtMs.clear();
      notedAtMs.set(view, nowMs());
    },
  };
}
