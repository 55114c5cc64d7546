import { encodeQR } from "qr";
import { html, type Html } from "../formats/html.ts";

/**
 * Maximum length of a QR code's text. A longer text makes the modules too small for a camera, and the page too large.
 */
export const qrTextBytesMax = 997;

/** Width of the empty border in modules; the standard requires four. */
const quietZone = 4;

/** The QR code of a text, always black on white; undefined for a text that is too long. */
export function qrCode(text: string, label: string): Html | undefined {
  if (Buffer.byteLength(text) > qrTextBytesMax) return undefined;
  const rows = encodeQR(text, "raw", { ecc: "medium", border: quietZone });
  const size = rows.length;
  return html`<svg
    class="qr"
    viewBox="0 0 ${size} ${size}"
    role="img"
    aria-label="${label}"
    shape-rendering="crispEdges"
  >
    <path fill="#fff" d="M0 0h${size}v${size}h-${size}z" />
    <path stroke="#000" d="${rows.map(rowStrokes).join("")}" />
  </svg>`;
}

/**
 * A row of the QR code as strokes of one module's width (run-length encoded): a quarter of the size of single squares.
 */
function rowStrokes(row: readonly boolean[], y: number): string {
  const runs = row
    .map((isDark) => (isDark ? "1" : "0"))
    .join("")
    .matchAll(/1+/g);
  let end: number | undefined;
  return [...runs]
    .map(({ 0: run, index }) => {
      const start = end === undefined ? `M${index} ${y}.5` : `m${index - end} 0`;
      end = index + run.length;
      return `${start}h${run.length}`;
    })
    .join("");
}
