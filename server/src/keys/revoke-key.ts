import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { withDescription, Time, toTime } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { lockMerchantKeys, updateMerchantKeyRevoked } from "./merchant-key.sql.ts";

interface RevokedKey {
  readonly version: number;
  readonly revokedAt: Date;
  readonly liveKeys: number;
  readonly isNew: boolean;
}

export const revokeKey = change({
  path: "tollgate/revokeKey",
  summary: "Revokes a key of the merchant permanently.",
  description:
    "Every process rejects it within a second. The view `keys` says which can be revoked without failing requests. The last one can be " +
    "revoked as well, because it may have leaked. Then all requests are rejected until you add another.",

  request: Type.Object({
    keyVersion: Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "Which key." }),
  }),
  response: Type.Object({
    keyVersion: Type.Integer({ minimum: 0, description: "Which key." }),
    revokedTime: withDescription(Time, "When it was revoked."),
    liveKeys: Type.Integer({ minimum: 0, description: "Number of keys left to sign with." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "KEY_NOT_FOUND"],
  inStore: true,

  example: {
    request: { keyVersion: 1 },
    response: { keyVersion: 1, revokedTime: "2026-11-16T09:30:00+00:00", liveKeys: 1 },
  },

  async change(call, { keyVersion: version }) {
    const stored = await lockMerchantKeys(call.tx, call);
    const revokedAt = await updateMerchantKeyRevoked(call.tx, call.clientId, version);
    if (!revokedAt) return refuse("KEY_NOT_FOUND", { field: "keyVersion" });
    const liveBefore = stored.filter(({ isRevoked }) => !isRevoked);
    const remaining = liveBefore.filter((key) => key.version !== version);
    const revokedKey: RevokedKey = {
      version,
      revokedAt,
      liveKeys: remaining.length,
      isNew: remaining.length < liveBefore.length,
    };
    return revokedKey;
  },

  auditedChange({ version, isNew }: RevokedKey) {
    return isNew ? { version, revoked: true } : undefined;
  },

  answer({ version, revokedAt, liveKeys }: RevokedKey) {
    return { code: "SUCCESS", keyVersion: version, revokedTime: toTime(revokedAt), liveKeys };
  },
});
