import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { withDescription, Digits, OneOf, Secret, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { findAuthorization } from "./authorization.sql.ts";
import { decryptPair } from "./token-pair.ts";
import { findTokenByAccess } from "./token.sql.ts";
import { tokenStatusOf, type Token, type TokenPair, type TokenStatusType } from "./token.ts";

interface QueriedToken {
  readonly token: Token;
  readonly pair: TokenPair | undefined;
  readonly accessToken: string;
  readonly status: TokenStatusType;
}

const statuses: Meanings<TokenStatusType> = {
  ACTIVE: "The token can be charged.",
  EXPIRED: "The token has expired: refresh it.",
  REVOKED: "You revoked the consent.",
  CANCELED: "The buyer cancelled the consent.",
};

export const queryToken = inquiry({
  path: "authorizations/query",
  summary: "Returns the status of an access token.",
  description:
    "`ACTIVE`: the token can be charged. `EXPIRED`: refresh it, if the response has a refresh token. " +
    "`REVOKED`: you revoked the consent. `CANCELED`: the buyer cancelled it.",

  request: Type.Object({ accessToken: Digits(Secret(128, "The access token to query.")) }),
  response: Type.Object({
    accessToken: Type.Optional(
      Digits(Secret(128, "Charges the buyer: send it as `paymentMethodId` to `pay`.")),
    ),
    accessTokenExpiryTime: Type.Optional(withDescription(Time, "Until when the access token is valid.")),
    refreshToken: Type.Optional(Digits(Secret(128, "Requests the next pair of tokens."))),
    refreshTokenExpiryTime: Type.Optional(withDescription(Time, "Until when the refresh token is valid.")),
    tokenStatusType: Type.Optional(OneOf(statuses, "The status of the access token.")),
  }),
  results: ["SUCCESS", "INVALID_ACCESS_TOKEN"],
  inStore: false,

  example: {
    request: { accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt" },
    response: {
      accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt",
      accessTokenExpiryTime: "2026-12-15T09:31:00+00:00",
      refreshToken: "h8Kd2fLw5nQz7vTb0cXy3mGp6sRa9uEi1oJt4e",
      refreshTokenExpiryTime: "2027-11-15T09:31:00+00:00",
      tokenStatusType: "ACTIVE",
    },
  },
  moreExamples: [
    {
      title: "The buyer has cancelled the consent",
      request: { accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt" },
      response: {
        accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt",
        tokenStatusType: "CANCELED",
      },
    },
  ],

  async find(call, { accessToken }) {
    const token = await findTokenByAccess(call.tx, call, call.secrets.keyedHash(accessToken, call.clientId));
    if (token?.authorizationId === undefined) return refuse("INVALID_ACCESS_TOKEN");
    const authorization = await findAuthorization(call.tx, call, token.authorizationId);
    const status = authorization && tokenStatusOf({ token, authorization }, call.now);
    if (!status) return refuse("INVALID_ACCESS_TOKEN");
    const queried: QueriedToken = { token, status, accessToken, pair: decryptPair(token, call.secrets) };
    return queried;
  },

  answer({ token: { issued }, pair, accessToken, status }: QueriedToken) {
    return {
      code: "SUCCESS",
      accessToken,
      ...(issued && { accessTokenExpiryTime: toTime(issued.accessExpiresAt) }),
      ...(issued &&
        pair && {
          refreshToken: pair.refreshToken,
          refreshTokenExpiryTime: toTime(issued.refreshExpiresAt),
        }),
      tokenStatusType: status,
    };
  },
});
