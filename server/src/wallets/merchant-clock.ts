/**
 * A wallet's report with all its times moved to the merchant's test clock, which may be ahead of the wallet's.
 * In live the two are the same.
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
