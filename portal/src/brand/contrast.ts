/** The minimum contrast of white text (WCAG 2.2, 1.4.3). The gateway rejects colours with less. */
export const contrastMin = 4.5;

/** `isColour` accepts `#rrggbb`, as the gateway does. */
export function isColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text);
}

/** `contrastWithWhite` returns the contrast of white text on a colour by WCAG's formula, 1 to 21. */
export function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(parseInt(colour.slice(at, at + 2), 16)),
  );
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function linear(eightBits: number): number {
  const share = eightBits / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
