import assert from "node:assert/strict";
import { test } from "node:test";
import { idKinds, newId, type IdKind } from "../../server/src/core/id.ts";
import { referenceIn } from "../src/shell/typed-reference.ts";

const idOf = (kind: IdKind): string => newId(kind, 476, new Date("2026-11-17T01:00:00Z"), () => 1);

test("ids of payouts are distinguished from all other ids", () => {
  const paidOut = (Object.keys(idKinds) as IdKind[]).filter((kind) => referenceIn(idOf(kind)).isPayout);
  assert.deepEqual(paidOut, ["settlementBatch", "payout", "payoutFile"]);
});

test("a reference is recognised as bank statements print it; other text is used unchanged", () => {
  const id = idOf("payout");
  const inGroups = id.replaceAll(/(.{4})/g, "$1 ");
  for (const typed of [id, ` ${id}\n`, inGroups, `EREF+${id}`, `Settlement ${inGroups}`])
    assert.deepEqual(referenceIn(typed), { id, isPayout: true }, typed);
  assert.deepEqual(referenceIn(" order-1001 "), { id: "order-1001", isPayout: false });
});
