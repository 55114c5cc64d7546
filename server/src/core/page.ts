/** Which rows a page may show, by their ids; both ends of the range are ids or begin like some. */
export interface PageWindow {
  readonly idFrom: string;
  readonly idBefore: string;
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/** A page of at most `limit`. One more than that was looked for: if it is there, so is another page. */
export function pageOf<Item>(
  found: readonly Item[],
  { limit }: Pick<PageWindow, "limit">,
  cursorAt: (item: Item) => string,
): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: found.length > limit && last ? cursorAt(last) : undefined };
}

/** As an answer has it: nothing on the last page. */
export function toNext({ nextCursor }: Pick<Page<unknown>, "nextCursor">): { readonly nextCursor?: string } {
  return nextCursor === undefined ? {} : { nextCursor };
}
