/**
 * Detects that a kind of work can no longer be written, such as providers' callbacks: in this state payments do not
 * complete, whatever else works. A rejection is no fault.
 */
export interface FaultWatch {
  /** Reports success: this kind of work can be written, up to this reach. */
  worked(what: string, reach: Reach): void;
  failed(what: string, fault: Fault): void;
  /**
   * The failing kinds of work. A kind keeps failing, with or without traffic, until a record of this kind is written.
   */
  failing(): readonly string[];
  /**
   * Checks for each kind of record that failed to be written, such as callbacks, whether the last record of this kind
   * has been written meanwhile. So a process that is unready, and therefore has no traffic, becomes ready again.
   */
  probe(): Promise<void>;
}

/**
 * How far the work came: it changed no data, it changed a record, or it brought a record to a final status. Only the
 * writing of final statuses may be broken.
 */
export type Reach = (typeof reaches)[number];
const reaches = ["looked", "moved", "ended"] as const;

export interface Fault {
  readonly subjectId: string;
  /** How far the work would have come without the fault. */
  readonly reach: Reach;
  /** Whether any process has written the record meanwhile. It throws while this cannot be checked. */
  readonly isWritten: () => Promise<boolean>;
}

/**
 * Number of different consecutive records that must fail: a single record that can never be stored says nothing about
 * the others.
 */
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
        // A newer fault stays.
        if (isWritten && faults.get(what)?.last === last) faults.delete(what);
      }
    },
  };
}
