import { encodeQR } from "qr";

/** The width of the blank margin around the QR code, in modules. The standard requires four. */
const quietZone = 4;

/** The QR code of a text as SVG: black on white, also in dark mode. */
export function qrPicture(text: string, label: string): string {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: quietZone });
  const size = rows.length;
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path stroke="#000" d="${rows.map(strokesOf).join("")}"/></svg>`;
}

/** Draws the dark modules of one row as SVG strokes. */
function strokesOf(row: readonly boolean[], y: number): string {
  const text = row.map((isDark) => (isDark ? "1" : "0")).join("");
  return [...text.matchAll(/1+/g)].map(({ 0: run, index }) => `M${index} ${y}.5h${run.length}`).join("");
}
