import assert from "node:assert/strict";

/**
 * The symbols of Code 128 (ISO/IEC 15417) by value: the widths of bars and gaps in modules, alternating, starting with
 * a bar. Each symbol is 11 modules wide.
 */
export const symbols: readonly string[] =
  (
    "212222222122222221121223121322131222122213122312132212221213" +
    "221312231212112232122132122231113222123122123221223211221132" +
    "221231213212223112312131311222321122321221312212322112322211" +
    "212123212321232121111323131123131321112313132113132311211313" +
    "231113231311112133112331132131113123113321133121313121211331" +
    "231131213113213311213131311123311321331121312113312311332111" +
    "314111221411431111111224111422121124121421141122141221112214" +
    "112412122114122411142112142211241211221114413111241112134111" +
    "111242121142121241114212124112124211411212421112421211212141" +
    "214121412121111143111341131141114113114311411113411311113141" +
    "114131311141411131211412211214211232"
  ).match(/.{6}/g) ?? [];

/** The start symbol of code set C, which encodes pairs of digits. */
export const startC = 105;

/** The stop symbol. It has one bar more than the other symbols, so that a scanner recognizes the reading direction. */
export const stop = "2331112";

/** The width of the blank margin on each side of the bar code, in modules. */
const quietZone = 10;
const height = 60;

/** The widths of bars and gaps, alternating, for an even number of digits: start, pairs, check symbol, stop. */
export function code128(digits: string): string {
  assert.match(digits, /^(?:\d\d)+$/, "pairs of digits");
  const pairs = (digits.match(/../g) ?? []).map(Number);
  const sum = pairs.reduce((before, pair, index) => before + pair * (index + 1), startC);
  return [startC, ...pairs, sum % 103].map((value) => symbols[value] ?? "").join("") + stop;
}

/** The bar code of an even number of digits as SVG. */
export function barsPicture(digits: string, label: string): string {
  const widths = code128(digits).split("").map(Number);
  let x = quietZone;
  const bars = widths.map((width, index) => {
    const bar = index % 2 === 0 ? `M${x} 0h${width}v${height}h-${width}z` : "";
    x += width;
    return bar;
  });
  const size = x + quietZone;
  return `<svg class="bars" viewBox="0 0 ${size} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}"
 shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${height}h-${size}z"/><path d="${bars.join("")}"/></svg>`;
}
