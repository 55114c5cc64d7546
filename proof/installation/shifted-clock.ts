/** This file is preloaded into a process to shift its clock by CLOCK_SHIFT_MS milliseconds (clock skew). */
const shiftMs = Number(process.env["CLOCK_SHIFT_MS"]);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...dateArgs: readonly (number | string | Date)[]) {
    // Only the current time is shifted, and not a Date that is created from a given moment.
    super(...((dateArgs.length === 0 ? [RealDate.now() + shiftMs] : dateArgs) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
