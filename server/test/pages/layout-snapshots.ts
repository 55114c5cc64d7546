import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { blockFont } from "./block-font.ts";
import { stabilizeTexts } from "./page-stabilizers.ts";

/**
 * Box, colours and text of an element of a page. They are the same on every machine, because the test sets the font.
 */
interface ElementLayout {
  readonly name: string;
  /** Left, top, width and height in pixels. */
  readonly box: readonly number[];
  /** Colours of text, background and border, and the font size. */
  readonly paint: string;
  readonly text: string;
}

export type Layout = readonly ElementLayout[];

/**
 * Accepted difference in pixels, because browsers round differently when they distribute the remaining space of a line.
 */
const toleratedPixels = 3;

/** "write" stores the current layouts as expected; review the difference. */
const mode = process.env["BUYER_LAYOUTS"];

export interface LayoutSnapshots {
  check(page: Page, name: string): Promise<void>;
  /** Writes the collected layouts. */
  close(): Promise<void>;
}

export async function openLayoutSnapshots(part: string): Promise<LayoutSnapshots> {
  const file = join(import.meta.dirname, "layouts", `${part}.json`);
  const text = await readFile(file, "utf8").catch(() => "{}");
  const expectedLayouts = JSON.parse(text) as Readonly<Record<string, Layout>>;
  const found: Record<string, Layout> = {};
  return {
    async check(page, name) {
      const layout = await layoutOf(page);
      found[name] = layout;
      if (mode !== "write") assertSimilar(layout, expectedLayouts[name] ?? [], name);
    },
    async close() {
      if (mode === "write") await writeFile(file, `${formatLayouts(found)}\n`);
    },
  };
}

/** One line for each element, so that a difference is easy to read. */
function formatLayouts(layouts: Readonly<Record<string, Layout>>): string {
  const pages = Object.entries(layouts).map(([name, parts]) => {
    const lines = parts.map((each) => `    ${JSON.stringify(each)}`);
    return `  ${JSON.stringify(name)}: [\n${lines.join(",\n")}\n  ]`;
  });
  return `{\n${pages.join(",\n")}\n}`;
}

function assertSimilar(found: Layout, expected: Layout, name: string): void {
  const textsAndColours = (layout: Layout): readonly string[] =>
    layout.map((part) => `${part.name} ${part.paint} ${part.text}`);
  assert.deepEqual(textsAndColours(found), textsAndColours(expected), name);
  const moved = found.flatMap((part, index) => {
    const before = expected[index]?.box ?? [];
    const isMoved = part.box.some((side, at) => Math.abs(side - (before[at] ?? 0)) > toleratedPixels);
    return isMoved ? [`${part.name} "${part.text}": ${before.join(" ")} → ${part.box.join(" ")}`] : [];
  });
  assert.deepEqual(moved, [], name);
}

const font = blockFont().toString("base64");

async function layoutOf(page: Page): Promise<Layout> {
  await page.evaluate(useBlockFont);
  await page.evaluate(stabilizeTexts);
  return page.evaluate<Layout>(readLayout);
}

/**
 * Adds the font by script, which the page's content security policy does not prevent. `geometricPrecision` makes letter
 * widths independent of the machine's font hinting.
 */
const useBlockFont = `(async () => {
  const bytes = Uint8Array.from(atob("${font}"), (letter) => letter.charCodeAt(0));
  const block = new FontFace("Block", bytes, { weight: "1 1000" });
  document.fonts.add(await block.load());
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { font-family: Block !important; font-synthesis: none !important; text-rendering: geometricPrecision !important; transition: none !important; }");
  document.adoptedStyleSheets = [sheet];
  await document.fonts.ready;
})()`;

/** Colours as bytes, because browsers serialize them differently. */
const readLayout = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const bytesOf = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  // A code is another one each time, and stands in an element for data.
  const ownText = (element) => element.localName === "data" ? "" : [...element.childNodes].filter(({ nodeType }) => nodeType === 3)
    .map(({ data }) => data.trim()).filter(Boolean).join(" ").replaceAll(/\\s+/g, " ").slice(0, 60);
  const shapes = "img, svg, button, input, select, data, a, main, section, header, footer, nav, figure, details, dl, ul";
  return [...document.body.querySelectorAll("*")]
    .filter((element) => !element.closest("svg *, option, script, style, noscript"))
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((element) => element.matches(shapes) || ownText(element) !== "")
    .map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const { color, backgroundColor, borderTopColor, borderTopWidth, fontSize } = getComputedStyle(element);
      const border = parseFloat(borderTopWidth) > 0 ? bytesOf(borderTopColor) : "none";
      return {
        name: [element.localName, ...element.classList].join("."),
        box: [left, top + scrollY, width, height].map(Math.round),
        paint: [bytesOf(color), bytesOf(backgroundColor), border, Math.round(parseFloat(fontSize))].join(" "),
        text: ownText(element),
      };
    });
})()`;
