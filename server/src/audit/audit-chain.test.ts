import assert from "node:assert/strict";
import { test } from "node:test";
import { hashLink } from "../core/hash-chain.ts";
import { formatAnchor, emptyChain, parseAnchor } from "./audit-chain.ts";
import { staffRoles } from "../people/role.ts";
import { changedFields, listFieldChanges, redactEntry, type AuditEntry } from "./audit.ts";

test("two different lists of fields never have the same hash input", () => {
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
  const hashes = new Set(lists.map((fields) => hashLink("", fields)));
  assert.equal(hashes.size, lists.length);
  assert.notEqual(hashLink("00", ["a"]), hashLink("01", ["a"]));
});

test("an anchor is parsed as it is printed, and other texts are rejected", () => {
  const head = { count: 12, hash: "ab".repeat(32) };
  assert.deepEqual(parseAnchor(`${formatAnchor(head)}\n`), head);
  assert.deepEqual(parseAnchor(formatAnchor(emptyChain)), emptyChain);
  for (const text of ["", "12", "12:", "0:ab", `0:${head.hash}`, `-1:${head.hash}`, `12:${head.hash}0`])
    assert.equal(parseAnchor(text), undefined, text);
});

test("an audit row has only the changed fields", () => {
  const changed = changedFields(
    { rate: 1, name: "a", urls: ["x"], fee: 2n },
    { rate: 2, name: "a", urls: ["y"], fee: 2n },
  );
  assert.deepEqual(changed, { before: { rate: 1, urls: ["x"] }, after: { rate: 2, urls: ["y"] } });
  assert.deepEqual(changedFields({}, { name: "a" }), { before: {}, after: { name: "a" } });
});

test("changes are listed field by field, in readable form", () => {
  assert.deepEqual(
    listFieldChanges({
      before: { rate: 1, name: "a", old: true },
      after: { rate: 2, name: "b", urls: ["x"] },
    }),
    [
      { field: "rate", before: "1", after: "2" },
      { field: "name", before: "a", after: "b" },
      { field: "old", before: "true" },
      { field: "urls", after: '["x"]' },
    ],
  );
  assert.deepEqual(listFieldChanges({ before: undefined, after: undefined }), []);
});

test("a merchant sees person, act and reason for its own people, and only the act for the operator", () => {
  const entry = {
    seq: 7,
    at: new Date(0),
    login: "a-login",
    act: "merchant set",
    subject: "SANDBOX_A",
    clientId: "SANDBOX_A",
    reason: "a tip of the police",
    before: { rate: 1 },
    after: { rate: 2 },
    rowChanges: [],
  };
  const redactFor = (actor: AuditEntry["actor"]) => redactEntry({ ...entry, actor });
  const mary = redactFor({ kind: "person", name: "per_mary", role: "admin" });
  assert.partialDeepStrictEqual(mary, {
    person: { personId: "per_mary", role: "admin" },
    reason: "a tip of the police",
    changes: [{ field: "rate", before: "1", after: "2" }],
  });
  const providers = [
    { kind: "command", name: "ada", role: "owner" } as const,
    { kind: "sql", name: "ada", role: "login" } as const,
    ...staffRoles.map((role) => ({ kind: "person", name: "ada", role }) as const),
  ];
  for (const actor of providers)
    assert.doesNotMatch(JSON.stringify(redactFor(actor)), /ada|police|a-login|owner|staff/, actor.role);
});
