/**
 * `shiftToMerchantClock` moves all times of a provider's report to the merchant's test clock, which may be ahead of the
 * provider's clock. In live the clocks are equal.
 */
export function shiftToMerchantClock<Report extends object>(
  report: Report,
  { aheadMs }: { readonly aheadMs: number },
): Report {
  const shifted = Object.entries(report).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Date ? new Date(value.getTime() + aheadMs) : value,
  ]);
  return Object.fromEntries(shifted) as Report;
}
