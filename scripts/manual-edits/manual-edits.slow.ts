import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { applyPatch, editsIn } from "./apply-patch.ts";

/** A common change by developers, as a patch of the files that are edited by hand. */
interface CommonChange {
  readonly patch: string;
  /** Maximum number of places that a developer edits by hand for this change. All others are derived or generated. */
  readonly editsMax: number;
  /** Path → what the file contains after `npm run generate`. */
  readonly contains: Readonly<Record<string, string>>;
  /** Tests that compare lists and need no database. They must pass after the change. */
  readonly tests: readonly string[];
}

const changes: Readonly<Record<string, CommonChange>> = {
  "a kind of notification": {
    patch: "notification-kind.patch",
    editsMax: 8,
    contains: {
      "CHANGELOG.md": "`notifySettlement`",
      "docs/reference/notifications.md": "| `notifySettlement` |",
      "server/openapi.json": '"operationId": "notifySettlement"',
      "server/console-openapi.json": '"notifySettlement": "A settlement batch that was closed."',
      "server/schema.sql": "'notifySettlement'",
      "portal/src/generated/console.ts": 'notifySettlement: "Settlement"',
      "clients/conformance/notifications.json": '"notifySettlement"',
      "clients/typescript/src/generated/notifications.ts": '"notifySettlement"',
      "clients/java/src/main/java/io/tollgate/model/NotificationKind.java": "notifySettlement",
      "clients/php/src/Models/NotificationKind.php": "notifySettlement",
      "clients/python/src/tollgate_client/_notifications.py": "notifySettlement",
      "clients/go/generated_enums.go": "notifySettlement",
    },
    tests: [
      "server/src/notifications/notification-kinds.test.ts",
      "server/src/catalog/openapi.test.ts",
      "server/src/catalog/descriptions.test.ts",
      "cli/src/merchant/scenarios/scenarios.test.ts",
    ],
  },
  "a stored field of pay": {
    patch: "pay-field.patch",
    editsMax: 6,
    contains: {
      "CHANGELOG.md": "`salesChannel`",
      "server/openapi.json": '"salesChannel"',
      "server/console-openapi.json": '"salesChannel"',
      "server/schema.sql": "sales_channel text",
      "portal/src/generated/console.ts": '"salesChannel"',
      "clients/java/src/main/java/io/tollgate/model/PayRequest.java": "salesChannel",
      "clients/go/generated_models.go": "SalesChannel",
    },
    tests: ["server/src/payments/request-texts.test.ts", "server/src/catalog/openapi.test.ts"],
  },
  "an operator command": {
    patch: "operator-command.patch",
    editsMax: 4,
    contains: {
      "CHANGELOG.md": "`holiday clear`",
      "docs/operating/commands.md": "### holiday clear CURRENCY YEAR",
      "portal/src/generated/english-names.ts": "Removed bank holidays",
      "portal/src/generated/chinese-names.ts": "删除银行假日",
    },
    tests: ["server/src/documents/generated-parts.test.ts"],
  },
};

for (const [change, { patch, editsMax, contains, tests }] of Object.entries(changes)) {
  const file = fileURLToPath(new URL(patch, import.meta.url));

  test(`${change} takes at most ${editsMax} manual edits`, () => {
    const edits = editsIn(readFileSync(file, "utf8"));
    assert.ok(edits.length > 0 && edits.length <= editsMax, `${edits.length}: ${edits.join(", ")}`);
  });

  test(`${change} is complete after these edits and \`npm run generate\``, async (t) => {
    const tree = applyPatch(file);
    t.after(() => tree.remove());
    await tree.run("npm", "run", "--silent", "generate");
    // The portal's tests import the texts of all languages, so they are compiled, too.
    await tree.run("node_modules/.bin/tsc", "-p", ".");
    for (const [path, text] of Object.entries(contains))
      assert.ok(tree.read(path).includes(text), `${path} does not contain ${text}`);
    await tree.run(process.execPath, "--test", ...tests);
  });
}
