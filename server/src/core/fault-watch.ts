/**
 * Notices that a kind of work cannot be written down any more, such as wallets' callbacks: whatever else works, payments do not
 * come to their end. A refusal is no fault.
 */
export interface FaultWatch {
  /** One was written: this kind works, as far as it reached. */
  worked(what: string, reach: Reach): void;
  failed(what: string, fault: Fault): void;
  /** The kinds that fail. It stays so, with or without traffic, until one is written. */
  failing(): readonly string[];
  /**
   * Asks of each kind that fails whether the last record was written by now. A process that is sent no traffic because it is
   * not ready finds out that way that it is.
   */
  probe(): Promise<void>;
}

/** How far work came: it found nothing new, moved a record on, or ended it. What ends a record may be broken alone. */
export type Reach = (typeof reaches)[number];
const reaches = ["looked", "moved", "ended"] as const;

export interface Fault {
  readonly subjectId: string;
  /** How far it would have come. */
  readonly reach: Reach;
  /** Whether the record was written since, here or by another process. Throws while it cannot be. */
  readonly isWritten: () => Promise<boolean>;
}

/** So many different records in a row: one that can never be stored says nothing about the others. */
const subjectsMin = 3;

interface Failing {
  readonly subjects: Set<string>;
  reach: number;
  last: Fault;
}

export function watchFaults(): FaultWatch {
  const faults = new Map<string, Failing>();
  const failing = (): readonly [string, Failing][] =>
    [...faults].filter(([, { subjects }]) => subjects.size >= subjectsMin);

  return {
    worked(what, reach) {
      const fault = faults.get(what);
      if (fault && reaches.indexOf(reach) >= fault.reach) faults.delete(what);
    },
    failed(what, last) {
      const reach = reaches.indexOf(last.reach);
      const fault = faults.get(what) ?? { subjects: new Set<string>(), reach, last };
      if (fault.subjects.size < subjectsMin) fault.subjects.add(last.subjectId);
      fault.reach = Math.max(fault.reach, reach);
      fault.last = last;
      faults.set(what, fault);
    },
    failing: () => failing().map(([what]) => what),
    async probe() {
      for (const [what, { last }] of failing()) {
        const isWritten = await last.isWritten().catch(() => false);
        // A fault that came meanwhile stays.
        if (isWritten && faults.get(what)?.last === last) faults.delete(what);
      }
    },
  };
}
