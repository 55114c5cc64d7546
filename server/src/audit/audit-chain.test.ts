import assert from "node:assert/strict";
import { test } from "node:test";
import { linkHash } from "../core/hash-chain.ts";
import { anchorText, emptyChain, readAnchor } from "./audit-chain.ts";
import { changedFields } from "./audit.ts";

test("no two lists of fields have the same hash, wherever the text is cut", () => {
  const lists = [
    ["ab", "c"],
    ["a", "bc"],
    ["abc"],
    ["ab", undefined, "c"],
    ["ab", "", "c"],
    ["1:a"],
    ["-"],
    [undefined],
    [],
  ];
  const hashes = new Set(lists.map((fields) => linkHash("", fields)));
  assert.equal(hashes.size, lists.length);
  assert.notEqual(linkHash("00", ["a"]), linkHash("01", ["a"]));
});

test("an anchor is read as it is printed, and nothing else is one", () => {
  const head = { count: 12, hash: "ab".repeat(32) };
  assert.deepEqual(readAnchor(`${anchorText(head)}\n`), head);
  assert.deepEqual(readAnchor(anchorText(emptyChain)), emptyChain);
  for (const text of ["", "12", "12:", "0:ab", `0:${head.hash}`, `-1:${head.hash}`, `12:${head.hash}0`])
    assert.equal(readAnchor(text), undefined, text);
});

test("of what was changed the audit has the fields that differ", () => {
  const changed = changedFields(
    { rate: 1, name: "a", urls: ["x"], fee: 2n },
    { rate: 2, name: "a", urls: ["y"], fee: 2n },
  );
  assert.deepEqual(changed, { before: { rate: 1, urls: ["x"] }, after: { rate: 2, urls: ["y"] } });
  assert.deepEqual(changedFields({}, { name: "a" }), { before: {}, after: { name: "a" } });
});
