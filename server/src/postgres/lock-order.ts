/**
 * Lock order: sorts the rows that one statement writes by their key. Two processes that write the same rows then take
 * row locks in the same order and cannot deadlock. PostgreSQL would resolve a deadlock by aborting one of them.
 */
export function sortForLocking<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => readonly (string | number)[],
): readonly Row[] {
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  return keyed.sort((one, other) => compareKeys(one.key, other.key)).map(({ row }) => row);
}

function compareKeys(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  for (const [index, part] of one.entries()) {
    const otherPart = other[index] ?? "";
    if (part !== otherPart) return part < otherPart ? -1 : 1;
  }
  return 0;
}
