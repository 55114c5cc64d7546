import assert from "node:assert/strict";
import { crc32, deflateSync, inflateSync } from "node:zlib";

/** The first bytes of every PNG. */
export const signature = Buffer.from("\u0089PNG\r\n\u001a\n", "latin1");

/** Kinds of pixels, by PNG's own numbers, and how many bytes or bits one takes. */
const kinds = { colours: [8, 2], palette: [4, 3] } as const;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Each line behind a byte that says how it is filtered. */
  readonly lines: Buffer;
}

function writePng({ width, height, lines }: Picture, kind: keyof typeof kinds, palette?: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(kinds[kind], 8);
  const colours = palette === undefined ? [] : [chunk("PLTE", palette)];
  const drawn = chunk("IDAT", deflateSync(lines, { level: 9 }));
  return Buffer.concat([signature, chunk("IHDR", head), ...colours, drawn, chunk("IEND", Buffer.alloc(0))]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A picture of one colour, 80 pixels wide and 40 high. */
export function pngOf(red: number, green: number, blue: number): Buffer {
  const line = Buffer.concat([
    Buffer.of(0),
    ...Array.from({ length: 80 }, () => Buffer.of(red, green, blue)),
  ]);
  const lines = Buffer.concat(Array.from({ length: 40 }, () => line));
  return writePng({ width: 80, height: 40, lines }, "colours");
}

const paletteSize = 16;
/** What covers this much of a page is an area and not the edge of a letter. */
const areaShareMin = 0.003;
/** Areas are told apart when they differ by this much, and shades on the edges of letters by that. */
const [areaNearness, shadeNearness] = [16, 110];

/** A screenshot in the sixteen colours that tell most of it: a fifth of its size, and every letter as sharp. */
export function inSixteenColours(screenshot: Buffer): Buffer {
  const { width, height, lines, pixelBytes } = unfiltered(screenshot);
  const pixels = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0, from = y * (width * pixelBytes + 1) + 1; x < width; x += 1, at += 1, from += pixelBytes)
      pixels[at] = lines.readUIntBE(from, 3);
  const palette = paletteOf(pixels);
  const lineBytes = Math.ceil(width / 2) + 1;
  const drawn = Buffer.alloc(lineBytes * height);
  const indices = new Map<number, number>();
  for (const [at, colour] of pixels.entries()) {
    const index = indices.get(colour) ?? nearestIn(palette, colour);
    indices.set(colour, index);
    const x = at % width;
    const byte = Math.floor(at / width) * lineBytes + 1 + (x >> 1);
    drawn[byte] = (drawn[byte] ?? 0) | (x % 2 === 0 ? index << 4 : index);
  }
  const bytes = palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]);
  return writePng({ width, height, lines: drawn }, "palette", Buffer.from(bytes));
}

/** The commonest first, and of those that look alike only one. Ties go by the colour, so that it is the same each time. */
function paletteOf(pixels: Uint32Array): readonly number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const common = [...counts].sort(([one, few], [other, many]) => many - few || one - other);
  const palette: number[] = [];
  for (const [colour, count] of common) {
    const least = count > pixels.length * areaShareMin ? areaNearness : shadeNearness;
    if (palette.length < paletteSize && palette.every((each) => distance(each, colour) > least))
      palette.push(colour);
  }
  return palette;
}

function nearestIn(palette: readonly number[], colour: number): number {
  const distances = palette.map((each) => distance(each, colour));
  return distances.indexOf(Math.min(...distances));
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce(
    (sum, shift) => sum + Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)),
    0,
  );
}

/** The pixels of a PNG as browsers write it: eight bits for each colour, not interlaced. */
function unfiltered(png: Buffer): Picture & { readonly pixelBytes: number } {
  const [width, height, depth, kind] = [
    png.readUInt32BE(16),
    png.readUInt32BE(20),
    png.readUInt8(24),
    png.readUInt8(25),
  ];
  assert.ok(depth === 8 && (kind === 2 || kind === 6), "a screenshot has eight bits for each colour");
  const pixelBytes = kind === 2 ? 3 : 4;
  const packed: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString("latin1", at + 4, at + 8) === "IDAT")
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const lines = inflateSync(Buffer.concat(packed));
  const lineBytes = width * pixelBytes + 1;
  for (let y = 0; y < height; y += 1) unfilter(lines, y * lineBytes, lineBytes, pixelBytes);
  return { width, height, lines, pixelBytes };
}

/** Undoes what makes a line easier to pack: each byte tells how it differs from its neighbours. */
function unfilter(lines: Buffer, start: number, lineBytes: number, pixelBytes: number): void {
  const filter = lines[start] ?? 0;
  for (let x = 1; x < lineBytes; x += 1) {
    const at = start + x;
    const left = x > pixelBytes ? (lines[at - pixelBytes] ?? 0) : 0;
    const above = start > 0 ? (lines[at - lineBytes] ?? 0) : 0;
    const corner = x > pixelBytes && start > 0 ? (lines[at - lineBytes - pixelBytes] ?? 0) : 0;
    lines[at] = ((lines[at] ?? 0) + guessOf(filter, left, above, corner)) & 255;
  }
}

/** What the neighbours of a byte make one expect, by PNG's five filters. */
function guessOf(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  return filter === 3 ? (left + above) >> 1 : paeth(left, above, corner);
}

/** The neighbour that is nearest to what a slope through all three would give. */
function paeth(left: number, above: number, corner: number): number {
  const slope = left + above - corner;
  const [toLeft, toAbove, toCorner] = [
    Math.abs(slope - left),
    Math.abs(slope - above),
    Math.abs(slope - corner),
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
