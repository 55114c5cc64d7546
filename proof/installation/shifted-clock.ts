/** Clock skew: preloaded into a process to shift its clock by CLOCK_SHIFT_MS. */
const shiftMs = Number(process.env["CLOCK_SHIFT_MS"]);
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...given: readonly (number | string | Date)[]) {
    // A Date of a given moment is not shifted.
    super(...((given.length === 0 ? [RightDate.now() + shiftMs] : given) as [number]));
  }

  static override now(): number {
    return RightDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
