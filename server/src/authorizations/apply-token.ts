import { Type, type Static } from "typebox";
import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import {
  withDescription,
  Digits,
  ExtendInfo,
  OneOf,
  Personal,
  Region,
  Secret,
  Text,
  Time,
  toTime,
} from "../contract/schemas.ts";
import { requireField } from "../core/conditional-required.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import {
  findAuthorization,
  findAuthorizationByCode,
  lockAuthorization,
  updateAuthorizationStatus,
} from "./authorization.sql.ts";
import type { Authorization } from "./authorization.ts";
import { createPair, decryptPair } from "./token-pair.ts";
import {
  findToken,
  findTokenByCredential,
  findTokenByRefresh,
  insertToken,
  updateTokenReplaced,
  useToken,
} from "./token.sql.ts";
import { isRepeatable, checkRefresh, type Token, type TokenPair } from "./token.ts";

const ApplyRequest = Type.Object({
  grantType: OneOf(
    {
      AUTHORIZATION_CODE: "The code with which the buyer returned: `authCode`.",
      REFRESH_TOKEN: "The refresh token of your current pair: `refreshToken`.",
    },
    "The kind of credential that is exchanged for the token.",
  ),
  customerBelongsTo: Text(64, "The payment method, as in `consult`."),
  authCode: Type.Optional(
    Digits(Secret(128, "The code with which the buyer returned; valid for ten minutes.")),
  ),
  refreshToken: Type.Optional(Digits(Secret(128, "The refresh token of the pair to replace."))),
  merchantRegion: Type.Optional(Region("The region in which the merchant does business.")),
  merchantAccountId: Type.Optional(
    Digits(Text(64, "The account of yours, if one client id is used for several accounts.")),
  ),
  extendInfo: Type.Optional(ExtendInfo),
});

type ApplyRequest = Static<typeof ApplyRequest>;

const applyResults = [
  "SUCCESS",
  "AUTH_IN_PROCESS",
  "PARAM_ILLEGAL",
  "NO_PAY_OPTIONS",
  "INVALID_AUTHCODE",
  "AUTH_CODE_EXPIRED",
  "INVALID_REFRESH_TOKEN",
] as const;

type ApplyCode = (typeof applyResults)[number];
type InvalidCredential = "INVALID_AUTHCODE" | "INVALID_REFRESH_TOKEN";

/** The token; `pair` has both values as long as a repeated request may receive them. */
interface AppliedToken {
  readonly token: Token;
  readonly pair: TokenPair | undefined;
  /** The buyer's account. Only for an agreement that charges the buyer without a confirmation. */
  readonly userLoginId: string | undefined;
}

export const applyToken = action({
  path: "authorizations/applyToken",
  summary: "Exchanges a buyer's code, or a refresh token, for an access token.",
  description:
    "Each code and each refresh token is valid once. If the response was lost, repeat the request: it " +
    "returns the same pair until the pair is used, for at most ten minutes. A refresh replaces both " +
    "tokens. The previous pair stays valid until the new pair is used, for at most ten minutes. `U` means " +
    "that the payment provider has not decided yet: repeat the request.",

  request: ApplyRequest,
  requiredFields: [
    requireField("authCode", { grantType: ["AUTHORIZATION_CODE"] }),
    requireField("refreshToken", { grantType: ["REFRESH_TOKEN"] }),
  ],
  response: Type.Object({
    accessToken: Type.Optional(
      Digits(Secret(128, "Charges the buyer: send it as `paymentMethodId` to `pay`.")),
    ),
    accessTokenExpiryTime: Type.Optional(withDescription(Time, "Until when the access token is valid.")),
    refreshToken: Type.Optional(Digits(Secret(128, "Requests the next pair of tokens."))),
    refreshTokenExpiryTime: Type.Optional(withDescription(Time, "Until when the refresh token is valid.")),
    userLoginId: Type.Optional(Digits(Personal(64, "The buyer's account, masked by the payment provider."))),
  }),
  results: applyResults,
  inStore: false,
  idempotency: { keyField: "authCode", comparedFields: ["customerBelongsTo"] },
  waitsForProvider: true,

  example: {
    request: {
      grantType: "AUTHORIZATION_CODE",
      customerBelongsTo: "GCASH",
      authCode: "mV3kQ0w8tZy5cB1nXr7dLf2gHj9sPa4uEi6oTq",
    },
    response: {
      accessToken: "5yQ2nT8vBz1cXw4mKd7fGh0jLp3sRa6uEi9oYt",
      accessTokenExpiryTime: "2026-12-15T09:31:00+00:00",
      refreshToken: "h8Kd2fLw5nQz7vTb0cXy3mGp6sRa9uEi1oJt4e",
      refreshTokenExpiryTime: "2027-11-15T09:31:00+00:00",
      userLoginId: "b***r@mail.example",
    },
  },
  moreExamples: [
    {
      title: "A new pair for the refresh token",
      request: {
        grantType: "REFRESH_TOKEN",
        customerBelongsTo: "GCASH",
        refreshToken: "h8Kd2fLw5nQz7vTb0cXy3mGp6sRa9uEi1oJt4e",
      },
      response: {
        accessToken: "9wR4pV1xDb3eZy6oMf8hIk2lNq5uTc7vFj0aSu",
        accessTokenExpiryTime: "2027-01-14T09:31:00+00:00",
        refreshToken: "k1Mf4hNy7pSb9xVd2eZa5oIr8uTc0wGj3qLv6g",
        refreshTokenExpiryTime: "2027-12-15T09:31:00+00:00",
      },
    },
  ],

  async claim(call, request) {
    const connector = call.connectorFor(request.customerBelongsTo);
    if (!connector) return refuse("NO_PAY_OPTIONS", { field: "customerBelongsTo" });
    if (request.grantType === "AUTHORIZATION_CODE") {
      const { authCode } = request;
      return authCode === undefined
        ? rejectMissingField("authCode")
        : applyCode(call, request, { authCode, connector });
    }
    const { refreshToken } = request;
    return refreshToken === undefined
      ? rejectMissingField("refreshToken")
      : refreshPair(call, request, { refreshToken });
  },

  async read(call, { token }) {
    return withPair(call, (await findToken(call.tx, call, token.tokenId)) ?? token);
  },

  answer({ token, pair, userLoginId }) {
    const { status, resultCode, issued } = token;
    if (status === "APPLIED") return { code: "AUTH_IN_PROCESS" };
    if (!pair || !issued) return { code: applyRefusalOf(resultCode) };
    return {
      code: "SUCCESS",
      ...pair,
      accessTokenExpiryTime: toTime(issued.accessExpiresAt),
      refreshTokenExpiryTime: toTime(issued.refreshExpiresAt),
      ...(userLoginId !== undefined && { userLoginId }),
    };
  },
});

type Claim = Promise<ClaimResult<AppliedToken> | Refusal<ApplyCode>>;

function rejectMissingField(field: string): Refusal<"PARAM_ILLEGAL"> {
  return refuse("PARAM_ILLEGAL", { field, detail: `${field} is missing.` });
}

/**
 * `applyCode` sends even an unknown code to the provider, because the provider's callback with the code may be
 * late.
 */
async function applyCode(
  call: Call,
  { customerBelongsTo }: ApplyRequest,
  { authCode, connector }: { readonly authCode: string; readonly connector: string },
): Claim {
  const { tx, now, secrets } = call;
  const credentialHash = secrets.keyedHash(authCode, call.clientId);
  const earlier = await findTokenByCredential(tx, call, credentialHash);
  if (earlier) return answerRepeat(call, earlier, customerBelongsTo, "INVALID_AUTHCODE");
  const authorization = await findAuthorizationByCode(tx, call, credentialHash);
  const refusal = authorization && checkCode(authorization, customerBelongsTo, now);
  if (refusal) return refuse(refusal);

  // Without the provider's callback, the consent of the code is unknown: then it is probably of today's connector.
  const { account } = call.referencesAt(connector, undefined);
  const unsealedToken = newToken(call, {
    credentialHash,
    customerBelongsTo,
    ...connectorAndAccount(authorization ?? { connector, account }),
  });
  const token = { ...unsealedToken, sealedCredential: secrets.encrypt(authCode, unsealedToken.tokenId) };
  if (!(await insertToken(tx, token))) {
    // This request lost a race against a request with the same code.
    const winner = await findTokenByCredential(tx, call, credentialHash);
    return winner
      ? answerRepeat(call, winner, customerBelongsTo, "INVALID_AUTHCODE")
      : refuse("AUTH_IN_PROCESS");
  }
  const { bucket, clientId, tokenId: subjectId } = token;
  const leased = await insertLeasedJob(tx, { bucket, clientId, subjectId, job: "exchange-code" });
  const record = { token, pair: undefined, userLoginId: undefined };
  return { record, leasedJob: { ...leased, record: token } };
}

function checkCode(
  { status, customerBelongsTo, expiresAt }: Authorization,
  customer: string,
  now: Date,
): "INVALID_AUTHCODE" | "AUTH_CODE_EXPIRED" | undefined {
  if (customerBelongsTo !== customer) return "INVALID_AUTHCODE";
  if (status === "EXPIRED") return "AUTH_CODE_EXPIRED";
  if (status !== "AGREED") return "INVALID_AUTHCODE";
  return now < expiresAt ? undefined : "AUTH_CODE_EXPIRED";
}

/**
 * `refreshPair` replaces a pair without a call to the provider: the provider's agreement token stays, and a callback
 * reports if the buyer cancels it.
 */
async function refreshPair(
  call: Call,
  { customerBelongsTo }: ApplyRequest,
  { refreshToken }: { readonly refreshToken: string },
): Claim {
  const { tx, now, secrets } = call;
  const credentialHash = secrets.keyedHash(refreshToken, call.clientId);
  const previous = await findTokenByRefresh(tx, call, credentialHash);
  if (previous?.authorizationId === undefined) return refuse("INVALID_REFRESH_TOKEN");
  // The authorization's row lock serializes refresh, revoke and cancel.
  const authorization = await lockAuthorization(tx, call, previous.authorizationId);
  const earlier = await findTokenByCredential(tx, call, credentialHash);
  if (earlier) return answerRepeat(call, earlier, customerBelongsTo, "INVALID_REFRESH_TOKEN");
  const current = await findTokenByRefresh(tx, call, credentialHash);
  const consented = authorization && current && { token: current, authorization };
  const refusal = checkRefresh(consented, customerBelongsTo, now);
  if (refusal || !consented) return refuse(refusal ?? "INVALID_REFRESH_TOKEN");

  const source = connectorAndAccount(consented.authorization);
  const requestedToken = newToken(call, { credentialHash, customerBelongsTo, ...source });
  const { issued } = createPair(requestedToken, secrets, now);
  const { authorizationId } = consented.authorization;
  const token: Token = { ...requestedToken, status: "ISSUED", authorizationId, issued };
  useToken(tx, consented.token, now);
  updateTokenReplaced(tx, consented.token, now);
  await insertToken(tx, token);
  updateAuthorizationStatus(
    tx,
    consented.authorization,
    { status: "ACTIVE", expiresAt: issued.refreshExpiresAt },
    now,
  );
  return { record: await withPair(call, token) };
}

/** Idempotency: a repeated request gets the same response while the pair may be returned again. */
async function answerRepeat(
  call: Call,
  token: Token,
  customerBelongsTo: string,
  invalid: InvalidCredential,
): Claim {
  if (token.customerBelongsTo !== customerBelongsTo) return refuse(invalid);
  if (token.status === "APPLIED" || isRepeatable(token, call.now))
    return { record: await withPair(call, token) };
  return refuse(token.status === "REFUSED" ? applyRefusalOf(token.resultCode) : invalid);
}

function applyRefusalOf(resultCode: Token["resultCode"]): "INVALID_AUTHCODE" | "AUTH_CODE_EXPIRED" {
  return resultCode === "AUTH_CODE_EXPIRED" ? resultCode : "INVALID_AUTHCODE";
}

async function withPair(call: Call, token: Token): Promise<AppliedToken> {
  const pair = decryptPair(token, call.secrets);
  const authorization = token.authorizationId
    ? await findAuthorization(call.tx, call, token.authorizationId)
    : undefined;
  const mayShowAccount = authorization?.scopes.includes("AGREEMENT_PAY");
  return { token, pair, userLoginId: mayShowAccount ? authorization?.userLoginId : undefined };
}

function connectorAndAccount({
  connector,
  account,
}: Pick<Token, "connector" | "account">): Pick<Token, "connector" | "account"> {
  return { connector, account };
}

function newToken(
  call: Call,
  credential: Pick<Token, "credentialHash" | "customerBelongsTo" | "connector" | "account">,
): Token {
  const { bucket, clientId, now } = call;
  return {
    bucket,
    clientId,
    tokenId: call.newId("token"),
    ...credential,
    sealedCredential: undefined,
    authorizationId: undefined,
    status: "APPLIED",
    resultCode: undefined,
    issued: undefined,
    createdAt: now,
    usedAt: undefined,
    replacedAt: undefined,
  };
}
