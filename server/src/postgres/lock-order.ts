/**
 * Lock order: sorts the rows that one statement writes by their key. Two processes that write the same rows then take
 * row locks in the same order and cannot deadlock. PostgreSQL would resolve a deadlock by aborting one of them.
 */
export function sortForLocking<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => readonly (string | number)[],
): readonly Row[] {
  const keyedRows = rows.map((row) => ({ row, key: keyOf(row) }));
  return keyedRows.sort((left, right) => compareKeys(left.key, right.key)).map(({ row }) => row);
}

function compareKeys(left: readonly (string | number)[], right: readonly (string | number)[]): number {
  for (const [index, part] of left.entries()) {
    const rightPart = right[index] ?? "";
    if (part !== rightPart) return part < rightPart ? -1 : 1;
  }
  return 0;
}
