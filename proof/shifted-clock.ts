/** Preloaded into a process whose own clock is to be wrong, by as much as CLOCK_SHIFT_MS says. */
const shiftMs = Number(process.env["CLOCK_SHIFT_MS"]);
const RightDate = Date;

class ShiftedDate extends RightDate {
  constructor(...given: readonly (number | string | Date)[]) {
    // Whoever names a moment gets that moment.
    super(...((given.length === 0 ? [RightDate.now() + shiftMs] : given) as [number]));
  }

  static override now(): number {
    return RightDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
