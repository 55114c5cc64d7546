const dayMs = 24 * 3600 * 1000;

/** Age classes of open amounts, in whole days. Each class includes its last day. */
export const ageClasses = [
  { name: "0–1 days", days: 1 },
  { name: "2–7 days", days: 7 },
  { name: "8–30 days", days: 30 },
  { name: "over 30 days", days: Infinity },
] as const;

export type AgeClass = (typeof ageClasses)[number]["name"];

export function ageClassOf(at: Date, now: Date): AgeClass {
  const days = Math.floor((now.getTime() - at.getTime()) / dayMs);
  const found = ageClasses.find((age) => days <= age.days);
  return found?.name ?? "over 30 days";
}

/** Returns the time before which an amount belongs to the next older class. */
export function startOfAge(days: number, now: Date): Date {
  return new Date(now.getTime() - (days + 1) * dayMs);
}

/**
 * Splits a receivable by age. Payments cover the oldest amounts first, so the rest of the receivable is from the newest
 * days. `added` are the new amounts of each age class, in order. A negative receivable has no age.
 */
export function splitReceivableByAge(owedMinor: bigint, added: readonly bigint[]): readonly bigint[] {
  if (owedMinor <= 0n) return ageClasses.map((_, index) => (index === 0 ? owedMinor : 0n));
  let leftMinor = owedMinor;
  return ageClasses.map((_, index) => {
    const sum = added[index] ?? 0n;
    const part = index === ageClasses.length - 1 || sum > leftMinor ? leftMinor : sum;
    leftMinor -= part;
    return part;
  });
}
