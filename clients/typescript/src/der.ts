import { concat } from "./bytes.ts";

/** The subset of DER that keys use. */
export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

export const tag = { integer: 0x02, bitString: 0x03, octetString: 0x04, sequence: 0x30 } as const;

/** Parses a series of DER elements; undefined if the bytes are anything else. */
export function readElements(bytes: Uint8Array): Element[] | undefined {
  const elements: Element[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = readLength(bytes, at + 1);
    if (!length || length.contentAt + length.value > bytes.length) return undefined;
    const end = length.contentAt + length.value;
    elements.push({ tag: bytes[at] ?? 0, content: bytes.subarray(length.contentAt, end) });
    at = end;
  }
  return elements;
}

function readLength(bytes: Uint8Array, at: number): { value: number; contentAt: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return { value: first, contentAt: at + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 3 || at + count >= bytes.length) return undefined;
  const value = bytes.subarray(at + 1, at + 1 + count).reduce((sum, byte) => sum * 256 + byte, 0);
  return { value, contentAt: at + 1 + count };
}

/** The elements inside the single DER sequence that these bytes encode. */
export function readSequence(bytes: Uint8Array): Element[] | undefined {
  const [outer, another] = readElements(bytes) ?? [];
  return outer?.tag === tag.sequence && !another ? readElements(outer.content) : undefined;
}

export function writeElement(tagByte: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = concat(...contents);
  return concat(Uint8Array.of(tagByte, ...lengthOf(content.length)), content);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}
