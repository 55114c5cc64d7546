import type { Views } from "../generated/console.ts";

export type LogoType = NonNullable<Views["brand"]["response"]["logoType"]>;

export interface Logo {
  readonly type: LogoType;
  /** Base64, as it is sent. */
  readonly content: string;
}

export const logoBytesMax = 24 * 1024;

/** `detectLogoType` detects the image type by the first bytes, as the gateway does, and ignores the file name. */
export function detectLogoType(bytes: Uint8Array): LogoType | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

export function logoUrl({ type, content }: Logo): string {
  return `data:${type};base64,${content}`;
}
