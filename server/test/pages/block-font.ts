/**
 * A font in which every character has the same width. Machines have different fonts, which break lines at different
 * places; with this font a page has the same layout on all of them.
 */
export function blockFont(): Buffer {
  const tables: Readonly<Record<string, Buffer>> = {
    "OS/2": os2(),
    cmap: cmap(),
    glyf: words(0, 0, 0, 0, 0, 0),
    head: head(),
    hhea: hhea(),
    hmtx: words(width, ...Array.from({ length: glyphs }, () => 0)),
    loca: words(...Array.from({ length: glyphs + 1 }, () => 0)),
    maxp: Buffer.concat([longs(0x10000), words(glyphs, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)]),
    name: words(0, 0, 6),
    post: longs(0x30000, 0, 0, 0, 0, 0, 0, 0),
  };
  return fileOf(Object.entries(tables));
}

const unitsInEm = 1_000;
/** The width of each character: a little over half an em, which is the average width of letters. */
const width = 560;
const [ascent, descent] = [930, 240];
/**
 * Number of glyphs: one for each character of the basic multilingual plane. All glyphs are empty, because tests only
 * measure them.
 */
const glyphs = 0xffff;

function words(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value & 0xffff, index * 2);
  return buffer;
}

function longs(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}

/** Maps each character to the glyph with its own number. */
function cmap(): Buffer {
  const groups = longs(28, 0, 1, 0x20, 0xfffe, 0x20);
  return Buffer.concat([words(0, 1, 3, 10), longs(12), words(12, 0), groups]);
}

function head(): Buffer {
  return Buffer.concat([
    longs(0x10000, 0x10000, 0, 0x5f0f3cf5),
    words(0, unitsInEm),
    longs(0, 0, 0, 0),
    words(0, -descent, width, ascent, 0, 8, 2, 0, 0),
  ]);
}

function hhea(): Buffer {
  return Buffer.concat([
    longs(0x10000),
    words(ascent, -descent, 0, width, 0, 0, width, 1, 0, 0, 0, 0, 0, 0, 0, 1),
  ]);
}

function os2(): Buffer {
  const first = words(4, width, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0);
  const coverage = Buffer.concat([Buffer.alloc(10), longs(1, 0, 0, 0), Buffer.from("NONE")]);
  const last = words(0x40, 0x20, 0xfffe, ascent, -descent, 0, ascent, descent);
  return Buffer.concat([first, coverage, last, longs(1, 0), words(500, 700, 0, 0x20, 1)]);
}

function fileOf(tables: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const power = Math.floor(Math.log2(tables.length));
  const range = 2 ** power * 16;
  const entries: Buffer[] = [longs(0x10000), words(tables.length, range, power, tables.length * 16 - range)];
  const contents: Buffer[] = [];
  let at = 12 + tables.length * 16;
  for (const [name, content] of tables) {
    const padded = Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4)]);
    entries.push(Buffer.from(name), longs(sumOf(padded), at, content.length));
    contents.push(padded);
    at += padded.length;
  }
  return Buffer.concat([...entries, ...contents]);
}

function sumOf(padded: Buffer): number {
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
  return sum;
}
