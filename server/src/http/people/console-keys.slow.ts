import assert from "node:assert/strict";
import { generateKeyPairSync, randomUUID, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { after, test } from "node:test";
import { newMerchant, prepareTestGateway, writeTestFile } from "../../../test/start/test-gateway.ts";
import { requestConsole, resultCodeOf, consoleVariables } from "../../../test/start/test-console.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { signPersonToken } from "../../people/person-token.ts";
import { keyIdOf } from "../../people/public-keys.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const { clientId } = await newMerchant(database);
const [old, next] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const pemOf = (key: KeyObject): string => String(key.export({ type: "spki", format: "pem" }));
const file = writeTestFile(`rotated-${randomUUID()}.pem`, pemOf(old.publicKey));
const settings = { ...variables, ...consoleVariables, TOLLGATE_ACCOUNTS_KEYS_FILE: file };
const serving = await serve(readSettings(settings));
after(() => serving.stop());

async function askWith({ privateKey, publicKey }: typeof old): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const person = { iss: "accounts", aud: "sandbox", sub: "per_1", organisation: "org_1" };
  const token = signPersonToken(
    {
      ...person,
      kind: "merchant",
      clientIds: [clientId],
      role: "owner",
      iat: now,
      exp: now + 60,
      jti: randomUUID(),
    },
    { kid: keyIdOf(publicKey), privateKey },
  );
  return resultCodeOf(await requestConsole(serving.url, "views/keys", { token }));
}

test("accounts rotates its key while people work, and an unreadable key file changes nothing", async () => {
  assert.equal(await askWith(old), "SUCCESS");
  assert.equal(await askWith(next), "TOKEN_INVALID");
  writeFileSync(file, pemOf(old.publicKey) + pemOf(next.publicKey));
  await eventually(
    15_000,
    () => askWith(next),
    (code) => code === "SUCCESS",
  );
  assert.equal(await askWith(old), "SUCCESS");
  writeFileSync(file, "half a fi");
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  assert.equal(await askWith(next), "SUCCESS");
  writeFileSync(file, pemOf(next.publicKey));
  await eventually(
    15_000,
    () => askWith(old),
    (code) => code === "TOKEN_INVALID",
  );
  assert.equal(await askWith(next), "SUCCESS");
});
