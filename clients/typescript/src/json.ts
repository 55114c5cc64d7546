/** Returns the same value without nulls, because on the wire null and absent are equivalent. */
export function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.filter((each) => each !== null).map(withoutNulls);
  if (typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name, withoutNulls(each)]),
  );
}
