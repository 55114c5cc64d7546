import { logoBytesMax, logoTypeOf, type Logo } from "./logo.ts";

/** Why a file cannot be the logo: too many bytes, another kind of file, or a picture that cannot be drawn. */
export type LogoFault = "large" | "kind" | "broken";

/** A file as a logo, or why it cannot be one: the gateway would say so as well, but only after a step-up. */
export async function readLogo(file: Blob): Promise<Logo | LogoFault> {
  if (file.size > logoBytesMax) return "large";
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = logoTypeOf(bytes);
  if (!type) return "kind";
  if (!(await canBeDrawn(file))) return "broken";
  return { type, content: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}

async function canBeDrawn(file: Blob): Promise<boolean> {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    return false;
  }
}
