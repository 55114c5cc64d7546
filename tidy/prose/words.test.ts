import assert from "node:assert/strict";
import { test } from "node:test";
import { lintProse } from "./lint-prose.ts";
import { wordRule } from "./prose-rule.ts";
import { words } from "./words.ts";

/** For each rule, in the order of the table: a text that breaks it, and one with an allowed use. */
const examples: readonly (readonly [wrong: string, right: string, path?: string])[] = [
  ["Nobody waits.", "No caller waits for `nobody`."],
  ["Somebody waits.", "A caller waits."],
  ["Whoever calls waits.", "The caller waits."],
  ["A stranger's request.", "A strange request."],
  ["A forger sends it.", "A forged request."],
  ["Sent anew.", "Sent again."],
  ["A retry mends it.", "Recommended, amended."],
  ["Kept for ever.", "Forever is a word."],
  ["It is beside the code.", "Besides, it is code."],
  ["A grave act.", "A grave accent."],
  ["At most so many rows.", "At most 100 rows."],
  ["Our own dice.", "Two indices."],
  ["The merchant is told.", "It cannot be told apart."],
  ["It stands in the file.", "It stands in for a wallet."],
  ["The loop stands.", "It stands for an amount."],
  ["It comes to its end.", "It ends."],
  ["It looks back.", "It looks at it."],
  ["A look reads 100 rows.", "It looks at 100 rows."],
  ["It turns callers away.", "It turns on."],
  ["It takes note of it.", "A note."],
  ["It proves once more.", "It proves it."],
  ["A second person does it.", "A second personal key."],
  ["Sent in crumbs.", "Breadcrumbs."],
  ["The usual slip.", "It slipped."],
  ["The purse of a wallet.", "On purpose."],
  ["A full lane.", "A plane."],
  ["A planted bug.", "A plant."],
  ["The doctor says so.", "Run `tollgate doctor`."],
  ["At the front door.", "Outdoors."],
  ["In portions.", "In proportion."],
  ["They get a letter.", "Capital letters.", "accounts"],
  ["It begins shedding.", "Load shedding begins."],
  ["A step-up is asked for.", "A step up."],
  ["Books of the house.", "The house account."],
  ["By the bank's word.", "A bank's words."],
  ["Nothing ends here.", "Nothing is endless."],
  ["One universe for each.", "The `universe` API."],
  ["Machine-made texts.", "Made by a machine."],
  ["The table of rights.", "All rights reserved."],
  ["Your till waits.", "`till`", "docs/guides"],
  ["A notification comes.", "The `notifyPayment` webhook.", "docs/guides"],
  ["The exchange of money.", "An exchange rate.", "docs/payouts"],
  ["Matching of a day.", "It is matching.", "docs"],
  ["What was sent.", "What was sent?"],
  ['a("what waits for an approval");', 'a("what waits for an approval?");', "a.ts"],
  ['a("Calls");', 'a("Calls and more");', "portal/src/languages/english.ts"],
  ['a("Try calls");', 'a("Try calls again");', "portal/src/languages/english.ts"],
  ['a("Help back in");', 'a("Help");', "portal/src/languages/english.ts"],
  ['a("Breaks");', 'a("A break");', "portal/src/languages/english.ts"],
  ['a("Agreements");', 'a("Agreements of yours");', "portal/src/languages/english.ts"],
  ['a("Taken in");', 'a("Taken");', "portal/src/languages/english.ts"],
  ['a("What happened");', 'a("What happened then?");', "portal/src/languages/english.ts"],
];

test("each rule has an example", () => assert.equal(examples.length, words.length));

for (const [index, { use }] of words.entries()) {
  const [wrong = "", right = "", place = "docs/operating"] = examples[index] ?? [];
  const path = place.endsWith(".ts") ? place : `${place}/a.md`;
  const suggestions = async (text: string): Promise<(string | undefined)[]> =>
    (await lintProse({ path, text }, { words: wordRule })).map(({ message }) => message.split(" -> ")[1]);
  test(`"${wrong}" is found, and "${right}" is not`, async () => {
    assert.ok((await suggestions(wrong)).includes(use), `${use}: not found`);
    assert.ok(!(await suggestions(right)).includes(use), `${use}: found`);
  });
}
