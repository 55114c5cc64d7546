import { Type } from "typebox";
import { action } from "../contract/operation.ts";
import { Digits, ExtendInfo, Secret, Text } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { lockAuthorization, updateAuthorizationStatus } from "./authorization.sql.ts";
import type { Authorization } from "./authorization.ts";
import { findTokenByAccess, retireTokens } from "./token.sql.ts";
import { tokenStatusOf } from "./token.ts";

export const revokeAuthorization = action({
  path: "authorizations/revoke",
  summary: "Revokes a buyer's consent.",
  description:
    "The access token and its refresh token become invalid, and the payment provider is notified. A token " +
    "that has already ended, for any reason, is refused with `INVALID_ACCESS_TOKEN`; so is a repeat of " +
    "this request. There is no webhook about your own revoke.",

  request: Type.Object({
    accessToken: Digits(Secret(128, "The token to revoke.")),
    merchantAccountId: Type.Optional(
      Digits(Text(64, "The account of yours, if one client id is used for several accounts.")),
    ),
    extendInfo: Type.Optional(ExtendInfo),
  }),
  response: Type.Object({ extendInfo: Type.Optional(ExtendInfo) }),
  results: ["SUCCESS", "INVALID_ACCESS_TOKEN"],
  inStore: false,
  idempotency: { keyField: "accessToken", comparedFields: [] },
  // The response waits for the provider, so that the agreement has ended at the provider, too, when the merchant
  // receives the response.
  waitsForProvider: true,

  example: {
    request: { accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt" },
    response: {},
  },

  async claim(call, { accessToken }) {
    const { tx, now } = call;
    const accessHash = call.secrets.keyedHash(accessToken, call.clientId);
    const candidate = await findTokenByAccess(tx, call, accessHash);
    if (candidate?.authorizationId === undefined) return refuse("INVALID_ACCESS_TOKEN");
    const authorization = await lockAuthorization(tx, call, candidate.authorizationId);
    const token = await findTokenByAccess(tx, call, accessHash);
    const isLive = authorization && token && tokenStatusOf({ token, authorization }, now) === "ACTIVE";
    if (!isLive) return refuse("INVALID_ACCESS_TOKEN");

    const revoked = updateAuthorizationStatus(tx, authorization, { status: "REVOKED" }, now);
    retireTokens(tx, revoked);
    const { bucket, clientId, authorizationId: subjectId } = revoked;
    const record: Authorization = { ...revoked, sealedAgreement: undefined };
    const leased = await insertLeasedJob(tx, { bucket, clientId, subjectId, job: "follow-authorization" });
    return { record, leasedJob: { ...leased, record } };
  },

  read: async (_call, authorization) => authorization,

  // The answer is always SUCCESS: the consent ended on the gateway's side at commit, and the job retries until the
  // provider is notified.
  answer: () => ({ code: "SUCCESS" }),
});
