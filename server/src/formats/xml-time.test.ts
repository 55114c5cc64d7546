import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCamt } from "../bank/camt.ts";
import { parseXml } from "./xml.ts";

/**
 * CPU time of the fastest of three runs must grow linearly. At four times the size, a linear parser needs about 4 times
 * as long and a quadratic one 16 times. The bound is between these, plus 20 ms for runs that are too short to measure.
 */
function assertLinear(read: (size: number) => unknown, size: number): void {
  const msOf = (inputSize: number): number =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const before = process.cpuUsage();
        try {
          read(inputSize);
        } catch (error) {
          assert.equal((error as Error).name, "FileProblem");
        }
        return process.cpuUsage(before).user / 1_000;
      }),
    );
  // The first run is a warm-up, so that compilation does not count for the small size only.
  msOf(size);
  const [small, large] = [msOf(size), msOf(4 * size)];
  assert.ok(large < 10 * small + 20, `${size}: ${small} ms, ${4 * size}: ${large} ms`);
}

const shapes: Readonly<Record<string, (size: number) => string>> = {
  "spaces in a tag": (size) => `<a${" ".repeat(size)}`,
  "a name that does not end": (size) => `<${"a".repeat(size)}`,
  "names without values": (size) => `<a${" x".repeat(size)}`,
  "attributes without an end": (size) => `<a${' x="1"'.repeat(size)}`,
  "spaces around equals signs": (size) => `<a x${" ".repeat(size)}=${" ".repeat(size)}`,
  "different attributes": (size) =>
    `<a ${Array.from({ length: size }, (_, index) => `x${index}="1"`).join(" ")}/>`,
  "a long attribute": (size) => `<a x="${"&amp;".repeat(size)}"/>`,
  "a comment that does not end": (size) => `<!--${"-".repeat(size)}`,
  "short comments and texts": (size) => `<a>${"<!---->x".repeat(size)}</a>`,
  "CDATA sections": (size) => `<a>${"<![CDATA[]]]>".repeat(size)}</a>`,
  "CDATA that does not end": (size) => `<a>${"<![CDATA[".repeat(size)}`,
  "instructions that do not end": (size) => "<?x ".repeat(size),
  "character references": (size) => `<a>${"&#x41;".repeat(size)}</a>`,
  "an entity with a long name": (size) => `<a>&${"b".repeat(size)}</a>`,
  "a character reference with many zeros": (size) => `<a>&#x${"0".repeat(size)}41;</a>`,
  "ends of CDATA": (size) => `<a>${"]]".repeat(size)}</a>`,
  children: (size) => `<a>${"<b>\n</b>".repeat(size)}</a>`,
  "open elements": (size) => "<a>".repeat(size),
  "an error on the last line": (size) => `<a>${"\n".repeat(size)}&b;</a>`,
};

for (const [description, textOf] of Object.entries(shapes))
  test(`parsing ${description} takes linear time`, () =>
    assertLinear((size) => parseXml(textOf(size)), 10_000));

for (const [what, referenceOf] of [
  ["of one reference", () => "SAME"],
  ["of different references", (index: number) => `R${index}`],
  ["whose references look numbered", (index: number) => (index % 2 === 0 ? "R" : `R (${index})`)],
] as const)
  test(`parsing bank entries ${what} takes linear time`, () => {
    const entry = (index: number): string =>
      `<Ntry><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-11-18</Dt></BookgDt><AcctSvcrRef>${referenceOf(index)}</AcctSvcrRef></Ntry>`;
    const textOf = (size: number): string =>
      `<Document><BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>S</Id><Acct><Id><IBAN>X</IBAN></Id></Acct>${Array.from({ length: size }, (_, index) => entry(index)).join("")}</Stmt></BkToCstmrStmt></Document>`;
    assert.equal(parseCamt(textOf(3)).statements[0]?.entries.length, 3);
    assertLinear((size) => parseCamt(textOf(size)), 500);
  });

test("a quadratic parser is detected", () => {
  const quadratic = (size: number): number => {
    let found = 0;
    for (let at = 0; at < size; at += 1)
      for (let other = 0; other < at; other += 1) found += (at ^ other) & 1;
    return found;
  };
  assert.throws(() => assertLinear(quadratic, 6_000), { name: "AssertionError" });
});
