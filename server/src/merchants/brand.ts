/** The design of a merchant's checkout pages. */
export interface Brand {
  /** `#rrggbb`, in lower case. */
  readonly colour: string | undefined;
  readonly supportUrl: string | undefined;
  readonly logoType: LogoType | undefined;
}

export type LogoType = "image/png" | "image/jpeg" | "image/webp";

/** Maximum size of the logo: a checkout page must stay below 60 kB in total. */
export const logoBytesMax = 24 * 1024;

export const noBrand: Brand = { colour: undefined, supportUrl: undefined, logoType: undefined };

/** Minimum contrast ratio of text on a button (WCAG 2.2, 1.4.3). */
export const contrastMin = 4.5;

/** `contrastWithWhite` returns the contrast ratio of white text on a colour, by WCAG's formula: 1 to 21. */
export function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    toLinearLight(parseInt(colour.slice(at, at + 2), 16)),
  );
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

function toLinearLight(eightBits: number): number {
  const share = eightBits / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/**
 * `detectLogoType` detects the format of a picture by its first bytes; undefined for other formats. SVG is not supported,
 * because it can contain scripts.
 */
export function detectLogoType(picture: Uint8Array): LogoType | undefined {
  const head = Buffer.from(picture.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}
