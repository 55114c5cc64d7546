/**
 * Detects that a kind of work can no longer be written, such as providers' callbacks: in this state payments do not
 * complete, whatever else works. A rejection is no fault.
 */
export interface FaultWatch {
  /** Reports success: this kind of work can be written, up to this reach. */
  recordSuccess(kind: string, reach: Reach): void;
  recordFault(kind: string, fault: Fault): void;
  /**
   * The failing kinds of work. A kind keeps failing, with or without traffic, until a record of this kind is written.
   */
  failingKinds(): readonly string[];
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

interface FailingKind {
  readonly subjects: Set<string>;
  reach: number;
  last: Fault;
}

export function newFaultWatch(): FaultWatch {
  const faults = new Map<string, FailingKind>();
  const listFailing = (): readonly [string, FailingKind][] =>
    [...faults].filter(([, { subjects }]) => subjects.size >= subjectsMin);

  return {
    recordSuccess(kind, reach) {
      const fault = faults.get(kind);
      if (fault && reaches.indexOf(reach) >= fault.reach) faults.delete(kind);
    },
    recordFault(kind, last) {
      const reach = reaches.indexOf(last.reach);
      const fault = faults.get(kind) ?? { subjects: new Set<string>(), reach, last };
      if (fault.subjects.size < subjectsMin) fault.subjects.add(last.subjectId);
      fault.reach = Math.max(fault.reach, reach);
      fault.last = last;
      faults.set(kind, fault);
    },
    failingKinds: () => listFailing().map(([kind]) => kind),
    async probe() {
      for (const [kind, { last }] of listFailing()) {
        const isWritten = await last.isWritten().catch(() => false);
        // A newer fault stays.
        if (isWritten && faults.get(kind)?.last === last) faults.delete(kind);
      }
    },
  };
}
