/**
 * `onMerchantClock` moves all times of a provider's report to the merchant's test clock, which may be ahead of the
 * provider's clock. In live the clocks are equal.
 */
export function onMerchantClock<Report extends object>(
  report: Report,
  { aheadMs }: { readonly aheadMs: number },
): Report {
  const moved = Object.entries(report).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof Date ? new Date(value.getTime() + aheadMs) : value,
  ]);
  return Object.fromEntries(moved) as Report;
}
