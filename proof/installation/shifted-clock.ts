/** This file is preloaded into a process to shift its clock by CLOCK_SHIFT_MS milliseconds (clock skew). */
const shiftMs = Number(process.env["CLOCK_SHIFT_MS"]);
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...given: readonly (number | string | Date)[]) {
    // Only the current time is shifted, and not a Date that is created from a given moment.
    super(...((given.length === 0 ? [RightDate.now() + shiftMs] : given) as [number]));
  }

  static override now(): number {
    return RightDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
