const dayMs = 24 * 3600 * 1000;

/** Ages by which finance looks at what is open, in whole days, the last one included. */
export const ages = [
  { name: "0–1 days", days: 1 },
  { name: "2–7 days", days: 7 },
  { name: "8–30 days", days: 30 },
  { name: "over 30 days", days: Infinity },
] as const;

export type AgeName = (typeof ages)[number]["name"];

export function ageNameOf(at: Date, now: Date): AgeName {
  const days = Math.floor((now.getTime() - at.getTime()) / dayMs);
  const found = ages.find((age) => days <= age.days);
  return found?.name ?? "over 30 days";
}

/** The moment before which everything is older than an age. */
export function startOfAge(days: number, now: Date): Date {
  return new Date(now.getTime() - (days + 1) * dayMs);
}

/**
 * What is owed, by age: whatever was paid is taken to have paid the oldest first, so what is left is of the newest days. `added` is what was
 * owed anew within each age, in their order. What is owed to the other side has no age.
 */
export function agedReceivable(owedMinor: bigint, added: readonly bigint[]): readonly bigint[] {
  if (owedMinor <= 0n) return ages.map((_, index) => (index === 0 ? owedMinor : 0n));
  let left = owedMinor;
  return ages.map((_, index) => {
    const sum = added[index] ?? 0n;
    const part = index === ages.length - 1 || sum > left ? left : sum;
    left -= part;
    return part;
  });
}
