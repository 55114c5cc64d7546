import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

export interface Comparison {
  /** The share of differing pixels, from 0 to 1; 1 if the sizes differ. */
  readonly share: number;
  /** A PNG with the differing pixels in red; none if the sizes differ. */
  readonly difference?: Buffer;
}

/** Compares two PNG files with the library on which `toHaveScreenshot` of Playwright is built, at its threshold. */
export function differingShare(before: Buffer, now: Buffer): Comparison {
  if (before.equals(now)) return { share: 0 };
  const [one, other] = [PNG.sync.read(before), PNG.sync.read(now)];
  const { width, height } = one;
  if (other.width !== width || other.height !== height) return { share: 1 };
  const difference = new PNG({ width, height });
  const count = pixelmatch(one.data, other.data, difference.data, width, height, { threshold: 0.2 });
  return { share: count / (width * height), difference: PNG.sync.write(difference) };
}
