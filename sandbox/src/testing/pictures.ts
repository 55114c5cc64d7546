import type { Page } from "playwright-core";
import { startC, stop, symbols } from "../pages/code-128.ts";

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel. */
  readonly data: Uint8Array;
}

/** A screenshot of a part of the page, as a camera would see it; the browser decodes it. */
export async function pixelsOf(page: Page, selector: string): Promise<Pixels> {
  const picture = await page.locator(selector).screenshot();
  const { width, height, data } = await page.evaluate<{ width: number; height: number; data: string }>(
    `(async () => {
      const bytes = Uint8Array.from(atob("${picture.toString("base64")}"), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      canvas.drawImage(bitmap, 0, 0);
      const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
      let text = "";
      for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
      return { width: bitmap.width, height: bitmap.height, data: btoa(text) };
    })()`,
  );
  return { width, height, data: new Uint8Array(Buffer.from(data, "base64")) };
}

/**
 * Reads a Code 128 of digit pairs along the middle of a picture, as a scanner does; undefined if the check symbol is
 * wrong.
 */
export function digitsInBars({ width, height, data }: Pixels): string | undefined {
  const row = Math.floor(height / 2) * width;
  const isDark = Array.from({ length: width }, (_, x) => (data[4 * (row + x)] ?? 255) < 128);
  const [first, last] = [isDark.indexOf(true), isDark.lastIndexOf(true)];
  const runs = isDark
    .slice(first, last + 1)
    .map((dark) => (dark ? "1" : "0"))
    .join("")
    .match(/1+|0+/g);
  if (!runs) return undefined;
  // Each symbol has six runs and is 11 modules wide. The stop symbol has seven runs and is 13 modules wide.
  const symbolCount = (runs.length - stop.length) / 6;
  const moduleWidth = (last - first + 1) / (symbolCount * 11 + 13);
  const widths = runs.map((run) => Math.round(run.length / moduleWidth)).join("");
  if (!Number.isInteger(symbolCount) || !widths.endsWith(stop)) return undefined;
  const values = (widths.slice(0, -stop.length).match(/.{6}/g) ?? []).map((each) => symbols.indexOf(each));
  const [start, ...rest] = values;
  const check = rest.pop();
  const sum = rest.reduce((before, value, index) => before + value * (index + 1), startC);
  if (start !== startC || check !== sum % 103) return undefined;
  return rest.map((value) => String(value).padStart(2, "0")).join("");
}
