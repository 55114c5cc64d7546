import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { unexportedTypes } from "./unexported-types.ts";

/** Types in a signature that are not exported, with the reason. */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  typescript: {
    "Tollgate: ClientAreas": "programs use `Areas`, which it implements",
    "Webhooks: WebhookSettings": "`Webhooks.of` makes one",
  },
  java: {},
  php: {},
  python: {
    "tollgate_client.areas.Areas.__init__: Caller": "only a client creates them",
    "tollgate_client.areas.AsyncAreas.__init__: AsyncCaller": "only a client creates them",
    "tollgate_client.webhooks.Webhooks.__init__: Settings": "`Webhooks.of` makes one",
    "tollgate_client.webhooks.Webhooks.__init__: ReceivingSettings": "`Webhooks.of` makes one",
    ...Object.fromEntries(
      ["Authorizations", "Merchants", "Payments", "Tollgate"].flatMap((area) => [
        [`tollgate_client.areas.${area}Area: Area`, "the base has no members of its own"],
        [`tollgate_client.areas.Async${area}Area: AsyncArea`, "the base has no members of its own"],
      ]),
    ),
  },
};

const reportOf = (language: string): string =>
  readFileSync(join(import.meta.dirname, "..", language, "api-report.txt"), "utf8");

for (const [language, reasons] of Object.entries(allowed))
  test(`${language}: every type in a signature is exported`, () => {
    assert.deepEqual(
      unexportedTypes(language, reportOf(language)).toSorted(),
      Object.keys(reasons).toSorted(),
    );
  });

/**
 * For each library, an exported type that occurs in signatures, and the pattern that removes it from the
 * report.
 */
const removedTypes = {
  typescript: [/^(?:Amount) \| .*\n/gm, "Amount"],
  java: [/^io\.tollgate\.model\.Amount(?:\$Builder)? \| .*\n/gm, "io.tollgate.model.Amount"],
  php: [/^Tollgate\\Models\\Amount \| .*\n/gm, "Tollgate\\Models\\Amount"],
  python: [/^.*\.(?:Amount|Amount\.\w+) \| .*\n/gm, "Amount"],
} as const;

for (const [language, [lines, name]] of Object.entries(removedTypes))
  test(`${language}: a type that is not exported is found in every signature`, () => {
    const found = unexportedTypes(language, reportOf(language).replaceAll(lines, ""));
    assert.ok(found.filter((line) => line.endsWith(name)).length > 5, found.join("\n"));
  });
