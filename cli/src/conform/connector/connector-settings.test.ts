import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../conformance-case.ts";
import { suggestConnector, deriveSettings } from "./connector-settings.ts";

function verdict(id: string, outcome: Verdict["outcome"], found = ""): Verdict {
  return { id, group: "", grade: "should", demands: "", outcome, found };
}

/** Findings → settings of the connector. */
const rows: readonly (readonly [readonly Verdict[], Readonly<Record<string, string>>])[] = [
  [[verdict("submit-repeated", "holds"), verdict("refund-late", "holds")], {}],
  [[verdict("capture-repeated", "broken")], { idempotent: "no" }],
  [[verdict("cancel-late", "broken")], { "quiet-seconds": "600" }],
  [
    [verdict("refund", "not seen", "the provider makes no refunds (NO_INTERFACE_DEF): --refunds NONE.")],
    { refunds: "NONE" },
  ],
  [[verdict("refund-part", "broken"), verdict("refund-in-parts", "broken")], { refunds: "FULL" }],
  [[verdict("refund-part", "holds"), verdict("refund-in-parts", "broken")], { refunds: "ONCE" }],
  [[verdict("capture", "not seen", "the provider holds none: --captures NONE.")], { captures: "NONE" }],
  [[verdict("capture-in-parts", "broken")], { captures: "ONE" }],
  [[verdict("refund", "not seen", "nobody pays")], {}],
];

for (const [verdicts, settings] of rows)
  test(`a missing feature of a provider becomes a setting: ${JSON.stringify(settings)}`, () => {
    assert.deepEqual(deriveSettings(verdicts), settings);
  });

test("the printed command connects the provider, and says what is a guess and what is not known", () => {
  const provider = {
    url: "https://wallet.example/",
    partnerId: "acme",
    publicKeyFile: "provider.pem",
    methodType: "GCASH",
    isSimulator: false,
  };
  const { lines, json } = suggestConnector(
    [verdict("refund-late", "broken"), verdict("refund-repeated", "not seen")],
    provider,
    new Set(["orders/submit", "orders/cancel"]),
  );
  assert.deepEqual(json["called"], ["orders/cancel", "orders/submit"]);
  assert.equal(
    json["command"],
    "tollgate connector add --name gcash --url https://wallet.example/ --partner-id acme --public-key provider.pem --methods GCASH --quiet-seconds 600",
  );
  assert.match(lines.join("\n"), /600 s is a guess/);
  assert.match(lines.join("\n"), /could not be checked: refund-repeated/);
});
