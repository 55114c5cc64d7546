/**
 * `shiftToMerchantClock` moves all times of a provider's report to the merchant's test clock, which may be ahead of the
 * provider's clock. In live the clocks are equal.
 */
export function shiftToMerchantClock<Report extends object>(
  report: Report,
  { aheadMs }: { readonly aheadMs: number },
): Report {
  return shiftTimes(report, aheadMs) as Report;
}

/** Moves a time, or all times in an object, such as the expiry of the buyer's next action. */
function shiftTimes(value: unknown, aheadMs: number): unknown {
  if (value instanceof Date) return new Date(value.getTime() + aheadMs);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const shifted = Object.entries(value).map(([name, each]) => [name, shiftTimes(each, aheadMs)]);
  return Object.fromEntries(shifted) as unknown;
}
