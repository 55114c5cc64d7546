/**
 * Notices that a kind of record cannot be written any more, such as wallets' callbacks: whatever else works, payments do not
 * come to their end. A refusal is no fault.
 */
export interface FaultWatch {
  /** One was written: whatever failed before, this kind works. */
  worked(what: string): void;
  failed(what: string, subjectId: string): void;
  /** The kinds that fail. */
  failing(): readonly string[];
}

/** So many different records in a row: one that can never be stored says nothing about the others. */
const subjectsMin = 3;
/** A process that nobody asks any more cannot find out that it works again: after so long it counts as working. */
const rememberedMs = 30_000;

export function watchFaults(monotonicMs: () => number): FaultWatch {
  const faults = new Map<string, { readonly subjects: Set<string>; lastMs: number }>();
  return {
    worked: (what) => void faults.delete(what),
    failed(what, subjectId) {
      const nowMs = monotonicMs();
      const known = faults.get(what);
      const fault =
        known && nowMs - known.lastMs < rememberedMs ? known : { subjects: new Set<string>(), lastMs: nowMs };
      if (fault.subjects.size < subjectsMin) fault.subjects.add(subjectId);
      fault.lastMs = nowMs;
      faults.set(what, fault);
    },
    failing() {
      const sinceMs = monotonicMs() - rememberedMs;
      return [...faults].flatMap(([what, { subjects, lastMs }]) =>
        subjects.size >= subjectsMin && lastMs > sinceMs ? [what] : [],
      );
    },
  };
}
