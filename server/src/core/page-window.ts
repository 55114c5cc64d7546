/** The rows that a page may show, as a range of ids. Both ends are ids, or prefixes of ids. */
export interface PageWindow {
  readonly idFrom: string;
  readonly idBefore: string;
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/** A page of at most `limit` items. The query reads one more item: if it exists, there is a next page. */
export function pageOf<Item>(
  rows: readonly Item[],
  { limit }: Pick<PageWindow, "limit">,
  cursorAt: (item: Item) => string,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? cursorAt(last) : undefined };
}

/** The wire form of the cursor to the next page; absent on the last page. */
export function toNextCursor({ nextCursor }: Pick<Page<unknown>, "nextCursor">): {
  readonly nextCursor?: string;
} {
  return nextCursor === undefined ? {} : { nextCursor };
}
