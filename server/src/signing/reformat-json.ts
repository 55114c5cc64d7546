/** The white space of JSON. */
export interface Spacing {
  readonly comma: string;
  readonly colon: string;
  /** The text that indents a member for each level; without it, members are not on their own lines. */
  readonly indent?: string;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const opening: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closing: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * The same JSON with other white space. Numbers and escapes stay as written, because each language writes them back
 * unchanged. Returns undefined if the result would grow too large.
 */
export function reformatJson(
  json: Uint8Array,
  { comma: afterComma, colon: afterColon, indent }: Spacing,
): Buffer | undefined {
  const out = Buffer.allocUnsafe(json.length * 4 + 1_024);
  const roomEnd = out.length - 64;
  let [at, depth, inString] = [0, 0, false];
  const writeLineBreak = (): void => {
    if (indent !== undefined)
      at += out.write(`\n${indent.repeat(Math.min(Math.max(depth, 0), 12))}`, at, "latin1");
  };
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (at > roomEnd) return undefined;
    if (inString) {
      out[at++] = byte;
      if (byte === backslash) out[at++] = json[++index] ?? 0;
      else if (byte === quote) inString = false;
    } else if (byte === comma) {
      at += out.write(indent === undefined ? afterComma : ",", at, "latin1");
      writeLineBreak();
    } else if (byte === colon) {
      at += out.write(afterColon, at, "latin1");
    } else if (opening.has(byte)) {
      out[at++] = byte;
      const next = skipBlanks(json, index + 1);
      // An empty object or list stays on one line, as JSON writers keep it.
      if (closing.has(json[next] ?? 0)) {
        out[at++] = json[next] ?? 0;
        index = next;
      } else {
        depth += 1;
        writeLineBreak();
      }
    } else if (closing.has(byte)) {
      depth -= 1;
      writeLineBreak();
      out[at++] = byte;
    } else if (!blanks.has(byte)) {
      out[at++] = byte;
      inString = byte === quote;
    }
  }
  return out.subarray(0, at);
}

function skipBlanks(json: Uint8Array, from: number): number {
  let at = from;
  while (blanks.has(json[at] ?? 0)) at += 1;
  return at;
}
