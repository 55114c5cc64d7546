import { logoBytesMax, detectLogoType, type Logo } from "./logo.ts";

/** The reason why a file cannot be the logo: too large, wrong file type, or not decodable. */
export type LogoFault = "large" | "kind" | "broken";

/**
 * `readLogo` reads a file as a logo or returns its fault. The gateway verifies this too, but only after
 * re-authentication.
 */
export async function readLogo(file: Blob): Promise<Logo | LogoFault> {
  if (file.size > logoBytesMax) return "large";
  const bytes = new Uint8Array(await file.arrayBuffer());
  const type = detectLogoType(bytes);
  if (!type) return "kind";
  if (!(await isDecodable(file))) return "broken";
  return { type, content: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}

async function isDecodable(file: Blob): Promise<boolean> {
  try {
    (await createImageBitmap(file)).close();
    return true;
  } catch {
    return false;
  }
}
