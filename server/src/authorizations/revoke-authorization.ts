import { Type } from "typebox";
import { action } from "../api/operation.ts";
import { Digits, ExtendInfo, Secret, Text } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { lockAuthorization, updateAuthorizationMoved } from "./authorization.sql.ts";
import type { Authorization } from "./authorization.ts";
import { findTokenByAccess, retireTokens } from "./token.sql.ts";
import { tokenStatusOf } from "./token.ts";

export const revokeAuthorization = action({
  path: "authorizations/revoke",
  summary: "Ends what a buyer has agreed to.",
  description:
    "From then on neither the access token nor its refresh token is good for anything, and the wallet hears of it. A token that is " +
    "over already, however it ended, is `INVALID_ACCESS_TOKEN`: so is the same call again. You get no notification of what you " +
    "did yourself.",

  request: Type.Object({
    accessToken: Digits(Secret(128, "The token that is to end.")),
    merchantAccountId: Type.Optional(
      Digits(Text(64, "Which of your accounts, if one client id stands for several.")),
    ),
    extendInfo: Type.Optional(ExtendInfo),
  }),
  response: Type.Object({ extendInfo: Type.Optional(ExtendInfo) }),
  results: ["SUCCESS", "INVALID_ACCESS_TOKEN"],
  inStore: false,
  once: { id: "accessToken", same: [] },
  // Waits for the wallet, so that a payment after the answer finds the agreement ended there, too.
  waits: true,

  example: {
    request: { accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt" },
    response: {},
  },

  async claim(call, { accessToken }) {
    const { tx, now } = call;
    const accessHash = call.secrets.hashOf(accessToken, call.clientId);
    const found = await findTokenByAccess(tx, call, accessHash);
    if (found?.authorizationId === undefined) return refuse("INVALID_ACCESS_TOKEN");
    const authorization = await lockAuthorization(tx, call, found.authorizationId);
    const token = await findTokenByAccess(tx, call, accessHash);
    const isLive = authorization && token && tokenStatusOf({ token, authorization }, now) === "ACTIVE";
    if (!isLive) return refuse("INVALID_ACCESS_TOKEN");

    const revoked = updateAuthorizationMoved(tx, authorization, { status: "REVOKED" }, now);
    retireTokens(tx, revoked);
    const { bucket, clientId, authorizationId: subjectId } = revoked;
    const record: Authorization = { ...revoked, sealedAgreement: undefined };
    const leased = await insertLeasedJob(tx, { bucket, clientId, subjectId, job: "follow-authorization" });
    return { record, leased: { ...leased, record } };
  },

  read: async (_call, authorization) => authorization,

  // Ended on our side at commit; the wallet is told with retries.
  answer: () => ({ code: "SUCCESS" }),
});
