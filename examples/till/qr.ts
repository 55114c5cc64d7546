import { encodeQR } from "qr";

/** The width of the blank margin around the QR code, in modules. The standard requires four. */
const quietZone = 4;

/** A QR code as an SVG image: black on white, in any theme. */
export function qrImage(text: string): string {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: quietZone });
  const size = rows.length;
  const squares = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${squares.join("")}"/></svg>`
  );
}
