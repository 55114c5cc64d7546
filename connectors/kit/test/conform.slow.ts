import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brokenCaseIds, describeBroken, runConform } from "../../../cli/src/conform/testing/run-conform.ts";
import { startTestConnector } from "./test-connector.ts";

test("`tollgate conform connector` finds no broken case in the toy connector", async () => {
  const { fake, folder, settings, servers } = await startTestConnector();
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const keyFile = join(folder, "conform.pem");
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  // The connector reads the file again at the first signature of an unknown key, as after a rotation.
  writeFileSync(settings.gatewayPublicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
  const publicKeyFile = join(folder, "connector-public.pem");
  const ownKey = createPublicKey(readFileSync(settings.privateKeyFile));
  writeFileSync(publicKeyFile, ownKey.export({ format: "pem", type: "spki" }));

  let asked = 0;
  const decide = (output: string): void => {
    for (const [, decision, id] of output.matchAll(/Please (approve|decline) this order .*\/page\/(\S+)/g)) {
      asked += 1;
      const payment = fake.payments.find((each) => each.id === id);
      if (payment) fake.act(payment.reference, decision as "approve" | "decline");
    }
  };
  const result = await runConform(
    [
      "connector",
      servers[0]?.url ?? "",
      "--private-key",
      keyFile,
      "--public-key",
      publicKeyFile,
      "--ask",
      "20",
      "--method",
      "TOY",
    ],
    {},
    decide,
  );
  assert.deepEqual(brokenCaseIds(result), [], describeBroken(result));
  assert.deepEqual(brokenCaseIds(result, "should"), [], describeBroken(result));
  assert.ok(asked > 3, "a buyer was asked");
  const passed = result.cases.filter(({ outcome }) => outcome !== "broken" && outcome !== "not seen");
  assert.ok(passed.length > 30, `${passed.length} cases were checked`);
});
