import assert from "node:assert/strict";
import { test } from "node:test";
import { idKinds, newId, type IdKind } from "../../server/src/core/id.ts";
import { parseReference } from "../src/shell/typed-reference.ts";

const createId = (kind: IdKind): string => newId(kind, 476, new Date("2026-11-17T01:00:00Z"), () => 1);

test("ids of payouts are distinguished from all other ids", () => {
  const payoutKinds = (Object.keys(idKinds) as IdKind[]).filter(
    (kind) => parseReference(createId(kind)).isPayout,
  );
  assert.deepEqual(payoutKinds, ["settlementBatch", "payout", "payoutFile"]);
});

test("a reference is recognised as bank statements print it; other text is used unchanged", () => {
  const id = createId("payout");
  const inGroups = id.replaceAll(/(.{4})/g, "$1 ");
  for (const typed of [id, ` ${id}\n`, inGroups, `EREF+${id}`, `Settlement ${inGroups}`])
    assert.deepEqual(parseReference(typed), { id, isPayout: true }, typed);
  assert.deepEqual(parseReference(" order-1001 "), { id: "order-1001", isPayout: false });
});
