import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brokenCaseIds, describeBroken, runConform } from "../../../cli/src/conform/testing/run-conform.ts";
import type { TestConnector } from "./test-connector.ts";

export interface ConformanceOptions {
  readonly connector: Pick<TestConnector, "folder" | "settings" | "servers">;
  readonly methodType: string;
  /** Acts as the buyer on the provider's page at this address. */
  decide(address: string, decision: "approve" | "decline"): void;
}

/** Runs `tollgate conform connector` against a connector, and finds no broken case. */
export async function checkConformance({ connector, methodType, decide }: ConformanceOptions): Promise<void> {
  const { folder, settings, servers } = connector;
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const keyFile = join(folder, "conform.pem");
  writeFileSync(keyFile, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
  // The connector reads the file again at the first signature of an unknown key, as after a rotation.
  writeFileSync(settings.gatewayPublicKeyFile, publicKey.export({ format: "pem", type: "spki" }));
  const publicKeyFile = join(folder, "connector-public.pem");
  const ownKey = createPublicKey(readFileSync(settings.privateKeyFile));
  writeFileSync(publicKeyFile, ownKey.export({ format: "pem", type: "spki" }));

  let asked = 0;
  const onOutput = (output: string): void => {
    for (const [, decision, address = ""] of output.matchAll(
      /Please (approve|decline) this order .*?: (\S+)/g,
    )) {
      asked += 1;
      decide(address, decision as "approve" | "decline");
    }
  };
  const keys = ["--private-key", keyFile, "--public-key", publicKeyFile];
  const args = ["connector", servers[0]?.url ?? "", ...keys, "--ask", "20", "--method", methodType];
  const result = await runConform(args, {}, onOutput);
  assert.deepEqual(
    [...brokenCaseIds(result), ...brokenCaseIds(result, "should")],
    [],
    describeBroken(result),
  );
  assert.ok(asked > 3, "a buyer was asked");
  const passed = result.cases.filter(({ outcome }) => outcome !== "broken" && outcome !== "not seen");
  assert.ok(passed.length > 30, `${passed.length} cases were checked`);
}
