import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { sha256 } from "../core/digest.ts";
import { isRefusal, refuse } from "../core/result.ts";
import { decideNewKey, liveKeysMax } from "./merchant-key.ts";
import { insertMerchantKey, lockMerchantKeys } from "./merchant-key.sql.ts";
import { readKeyWithProof } from "../signing/key-proof.ts";
import { proofInstructions, KeyWithProof } from "./key-with-proof.schema.ts";

interface AddedKey {
  readonly version: number;
  readonly publicKey: Uint8Array;
  readonly isNew: boolean;
}

export const addKey = change({
  path: "tollgate/addKey",
  summary: "Registers another key of the merchant, in addition to its existing ones.",
  description:
    "Requests may be signed with any key until you revoke it. Every process accepts the new one within a second. The same key " +
    `again has the same version. ${proofInstructions}`,

  request: Type.Object({ ...KeyWithProof }),
  response: Type.Object({
    keyVersion: Type.Integer({ minimum: 1, description: "The version to sign with." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],
  inStore: true,

  example: {
    request: {
      publicKey: "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA",
      proof: "b3ZlciB0aGUgdGV4dCB0aGF0IG5hbWVzIHRoZSBrZXk=",
    },
    response: { keyVersion: 2 },
  },

  async change(call, request) {
    const { tx, clientId } = call;
    const verifiedKey = readKeyWithProof(call, request);
    if (isRefusal(verifiedKey)) return verifiedKey;
    const publicKey = verifiedKey.der;
    const decision = decideNewKey(await lockMerchantKeys(tx, call), publicKey);
    if (decision.kind === "revoked before" || decision.kind === "too many")
      return refuse("PARAM_ILLEGAL", { field: "publicKey", detail: problems[decision.kind] });
    const { kind, version } = decision;
    const added: AddedKey = { version, publicKey, isNew: kind === "add" };
    if (added.isNew) await insertMerchantKey(tx, clientId, added);
    return added;
  },

  auditedChange({ version, publicKey, isNew }: AddedKey) {
    return isNew ? { version, keySha256: sha256(publicKey).toString("hex") } : undefined;
  },

  answer({ version }: AddedKey) {
    return { code: "SUCCESS", keyVersion: version };
  },
});

const problems = {
  "revoked before": "This key was revoked, and cannot be used again. Generate another one.",
  "too many": `There are ${liveKeysMax} keys that are not revoked. Revoke one first.`,
} as const;
