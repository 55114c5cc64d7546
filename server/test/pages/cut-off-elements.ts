import type { Page } from "playwright-core";

/** `cutOffElements` returns elements whose text overflows their box or the page. */
export function cutOffElements(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("main, main *, footer, header")].filter((each) => each.clientWidth > 1 &&
      (each.getBoundingClientRect().right > innerWidth + 1 || (each.scrollWidth > each.clientWidth + 1 &&
        getComputedStyle(each).overflowX !== "visible"))).map((each) => each.className || each.tagName)`,
  );
}
