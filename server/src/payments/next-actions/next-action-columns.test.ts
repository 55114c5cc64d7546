import assert from "node:assert/strict";
import { test } from "node:test";
import type { NextAction } from "../../providers/next-action.ts";
import {
  actionColumns,
  actionOfRow,
  isNewerAction,
  noAction,
  type BuyerAction,
} from "./next-action-columns.ts";

const url = "https://wallet.example/open/8KQ2";
const expiresAt = new Date("2026-11-15T10:01:00Z");
const actions: readonly NextAction[] = [
  { type: "REDIRECT", url },
  { type: "APP", appUrl: "wallet://open/8KQ2" },
  { type: "APP", appUrl: "wallet://open/8KQ2", url },
  { type: "QR_CODE", code: "8KQ2" },
  { type: "QR_CODE", code: "8KQ2", url },
  { type: "QR_CODE", code: "8KQ2", url, expiresAt },
  { type: "IN_PAGE", frameUrl: url },
  { type: "IN_PAGE", frameUrl: url, clientData: "secret" },
  { type: "WAIT" },
  { type: "WAIT", expiresAt },
];

for (const nextAction of actions)
  for (const actionSequence of [1, 2])
    test(`the action ${JSON.stringify(nextAction)} with sequence ${actionSequence} is read as it was stored`, () => {
      const action = { nextAction, actionSequence };
      assert.deepEqual(storeAndRead(action), action);
    });

test("no action is stored as no action", () => {
  assert.deepEqual(storeAndRead(noAction), noAction);
});

function storeAndRead(action: BuyerAction): BuyerAction {
  const { code = null, url: address = null, json = null } = actionColumns(action);
  return actionOfRow({ provider_code: code, provider_url: address, next_action: json });
}

test("the first address or code needs no JSON", () => {
  const stored = actions.filter(
    (nextAction) => actionColumns({ nextAction, actionSequence: 1 }).json === undefined,
  );
  assert.deepEqual(stored, [
    { type: "REDIRECT", url },
    { type: "QR_CODE", code: "8KQ2" },
    { type: "QR_CODE", code: "8KQ2", url },
  ]);
});

const code = (text: string, actionSequence: number): BuyerAction => ({
  nextAction: { type: "QR_CODE", code: text },
  actionSequence,
});
const comparisons = [
  [code("a", 1), code("b", 2), true],
  [code("a", 2), code("b", 1), false],
  [code("a", 1), code("b", 1), false],
  [code("a", 1), code("a", 2), false],
  [code("a", 1), { nextAction: undefined, actionSequence: 2 }, false],
  [noAction, code("a", 1), true],
] as const;
for (const [stored, reported, expected] of comparisons)
  test(`${JSON.stringify(reported)} ${expected ? "replaces" : "does not replace"} ${JSON.stringify(stored)}`, () => {
    assert.equal(isNewerAction(stored, reported), expected);
  });
