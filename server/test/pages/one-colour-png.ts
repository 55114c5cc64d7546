import { PNG } from "pngjs";

/** An opaque PNG of one colour, 80 pixels wide and 40 high. */
export function createPng(red: number, green: number, blue: number): Buffer {
  const image = new PNG({ width: 80, height: 40 });
  image.data.fill(Buffer.of(red, green, blue, 255));
  return PNG.sync.write(image);
}

/** The signature of PNG files. */
export const pngSignature = createPng(0, 0, 0).subarray(0, 8);
