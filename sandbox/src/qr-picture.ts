import { encodeQR } from "qr";

/** In modules; the standard asks for four. */
const quietZone = 4;

/** The QR code of a text as SVG: black on white, whatever the page looks like. */
export function qrPicture(text: string, label: string): string {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: quietZone });
  const size = rows.length;
  return `<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path stroke="#000" d="${rows.map(strokesOf).join("")}"/></svg>`;
}

/** A row as strokes that are as wide as a module. */
function strokesOf(row: readonly boolean[], y: number): string {
  const text = row.map((isDark) => (isDark ? "1" : "0")).join("");
  return [...text.matchAll(/1+/g)].map(({ 0: run, index }) => `M${index} ${y}.5h${run.length}`).join("");
}
