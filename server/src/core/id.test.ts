import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { bucketCount } from "./bucket.ts";
import { parseId, idKinds, newId, type IdKind } from "./id.ts";

const kinds = Object.keys(idKinds) as IdKind[];
const kind = fc.constantFrom(...kinds);
const bucket = fc.nat({ max: bucketCount - 1 });
const when = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
/** Random numbers chosen by the test, within the requested range. */
const dice = fc.func(fc.nat()).map((fall) => (below: number) => fall(below) % below);

test("an id has 35 digits: time, bucket, kind and random digits", () => {
  const falls = [42, 999_999];
  const id = newId("payment", 7, new Date("2026-11-15T09:30:00.123Z"), (below) => {
    assert.equal(below, 1_000_000);
    return falls.shift() ?? 0;
  });
  assert.equal(id, ["20261115093000123", "0007", "01", "000042", "999999"].join(""));
});

test("the codes of id kinds never change, because others store our ids", () => {
  const { payment, refund, capture, authorization, dispute, registration } = idKinds;
  assert.deepEqual(
    [payment, refund, capture, authorization, dispute, registration],
    ["01", "02", "03", "04", "05", "06"],
  );
  assert.equal(new Set(Object.values(idKinds)).size, kinds.length);
});

test("each id has 35 digits and contains the address of its record", () => {
  fc.assert(
    fc.property(kind, bucket, when, dice, (ofKind, inBucket, now, randomBelow) => {
      const id = newId(ofKind, inBucket, now, randomBelow);
      assert.match(id, /^\d{35}$/);
      assert.deepEqual(parseId(id), { kind: ofKind, bucket: inBucket });
    }),
  );
});

test("ids sort by creation time", () => {
  fc.assert(
    fc.property(
      when,
      when,
      kind,
      kind,
      bucket,
      dice,
      (one, other, oneKind, otherKind, inBucket, randomBelow) => {
        fc.pre(one.getTime() !== other.getTime());
        const earlier =
          newId(oneKind, inBucket, one, randomBelow) < newId(otherKind, inBucket, other, randomBelow);
        assert.equal(earlier, one < other);
      },
    ),
  );
});

for (const [name, text] of [
  ["nothing", ""],
  ["a digit too few", "2026111509300012300070100004299999"],
  ["a digit too many", "202611150930001230007010000429999999"],
  ["a letter", "20261115093000123000701000042J99999"],
  ["digits of another script", "٢0261115093000123000701000042999999"],
  ["a line feed behind it", "20261115093000123000701000042999999\n"],
  ["a bucket that does not exist", "20261115093000123102401000042999999"],
  ["a kind that does not exist", "20261115093000123000799000042999999"],
] as const) {
  test(`a foreign id has no address: ${name}`, () => assert.equal(parseId(text), undefined));
}

test("the first and the last bucket have addresses", () => {
  assert.deepEqual(parseId("20261115093000123102301000042999999"), { kind: "payment", bucket: 1023 });
  assert.deepEqual(parseId("20261115093000123000002000042999999"), { kind: "refund", bucket: 0 });
});
