import assert from "node:assert/strict";
import { constants, generateKeyPairSync, sign } from "node:crypto";
import { test } from "node:test";
import { recoverSignature } from "./recover-signature.ts";

test("PSS with SHA-1 is recognised whatever its salt, although a wrong digest has the form by chance", () => {
  const { publicKey, privateKey: key } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 20 };
  for (let count = 0; count < 600; count += 1) {
    const recovered = recoverSignature(publicKey, sign("sha1", Buffer.from("text"), { key, ...padding }));
    assert.deepEqual([recovered?.algorithm, recovered?.isCertain], ["sha1", true]);
  }
});
