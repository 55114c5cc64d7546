import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { forgottenExports } from "./forgotten.ts";

/** What stands in a signature and is given to nobody, with the reason why nobody needs it. */
const excused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  typescript: {
    "Tollgate: ClientAreas": "whoever wants the type writes `Areas`, which it implements",
    "Webhooks: WebhookSettings": "`Webhooks.of` makes one",
  },
  java: {},
  php: {},
  python: {
    "tollgate_client.areas.Areas.__init__: Caller": "a client makes them",
    "tollgate_client.areas.AsyncAreas.__init__: AsyncCaller": "a client makes them",
    "tollgate_client.webhooks.Webhooks.__init__: Settings": "`Webhooks.of` makes one",
    "tollgate_client.webhooks.Webhooks.__init__: ReceivingSettings": "`Webhooks.of` makes one",
    ...Object.fromEntries(
      ["Authorizations", "Merchants", "Payments", "Tollgate"].flatMap((area) => [
        [`tollgate_client.areas.${area}Area: Area`, "the base has nothing that is not below it"],
        [`tollgate_client.areas.Async${area}Area: AsyncArea`, "the base has nothing that is not below it"],
      ]),
    ),
  },
};

const reportOf = (language: string): string =>
  readFileSync(join(import.meta.dirname, "..", language, "api-report.txt"), "utf8");

for (const [language, reasons] of Object.entries(excused))
  test(`${language}: whatever a signature speaks of can be imported`, () => {
    assert.deepEqual(
      forgottenExports(language, reportOf(language)).toSorted(),
      Object.keys(reasons).toSorted(),
    );
  });

/** A type that every library gives, and that stands in signatures of others. */
const taken = {
  typescript: [/^(?:Amount) \| .*\n/gm, "Amount"],
  java: [/^io\.tollgate\.model\.Amount(?:\$Builder)? \| .*\n/gm, "io.tollgate.model.Amount"],
  php: [/^Tollgate\\Models\\Amount \| .*\n/gm, "Tollgate\\Models\\Amount"],
  python: [/^.*\.(?:Amount|Amount\.\w+) \| .*\n/gm, "Amount"],
} as const;

for (const [language, [lines, name]] of Object.entries(taken))
  test(`${language}: a type that is no longer exported is found wherever it is spoken of`, () => {
    const found = forgottenExports(language, reportOf(language).replaceAll(lines, ""));
    assert.ok(found.filter((line) => line.endsWith(name)).length > 5, found.join("\n"));
  });
