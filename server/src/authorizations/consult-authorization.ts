import { Type, type Static } from "typebox";
import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import {
  Amount,
  withDescription,
  Digits,
  ExtendInfo,
  OneOf,
  osTypes,
  Personal,
  Region,
  terminalTypes,
  Text,
  Url,
  type Meanings,
} from "../contract/schemas.ts";
import { providerReference } from "../core/provider-reference.ts";
import { rejectChangedRepeat } from "../core/idempotency.ts";
import { requireField } from "../core/conditional-required.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { findAuthorization, findAuthorizationByState, insertAuthorization } from "./authorization.sql.ts";
import { consentLifetimeMs, scopes, type Authorization } from "./authorization.ts";
import { findUrlRefusal } from "../merchants/url-rules.ts";

const TerminalType = OneOf(terminalTypes, "The kind of the buyer's device.");
const OsType = OneOf(osTypes, "The operating system of the phone.");

const scopeMeanings: Meanings<(typeof scopes)[number]> = {
  AGREEMENT_PAY: "Charge the buyer without a confirmation each time.",
  BASE_USER_INFO: "Read the buyer's identity at the payment provider.",
  USER_INFO: "Read the buyer's personal data at the payment provider.",
};

const ConsultRequest = Type.Object({
  customerBelongsTo: Text(64, "The payment method of the buyer, for example GCASH."),
  authRedirectUrl: Type.String({
    ...Url("The page to which the buyer returns; `authCode` and `authState` are added as parameters."),
    maxLength: 1024,
  }),
  scopes: Type.Array(OneOf(scopeMeanings, "A permission that the buyer is asked for."), {
    minItems: 1,
    maxItems: 4,
    description: "The permissions that the buyer is asked for.",
  }),
  authState: Digits(Text(256, "Your own id of the consent, never used before; returned unchanged.")),
  env: Type.Optional(
    Type.Object(
      {
        terminalType: TerminalType,
        osType: Type.Optional(OsType),
        osVersion: Type.Optional(Text(64, "The version of the operating system.")),
        userAgent: Type.Optional(Personal(2048, "The header `User-Agent` of the buyer's browser.")),
        clientIp: Type.Optional(Personal(64, "The buyer's IP address.")),
        deviceId: Type.Optional(Digits(Personal(128, "Your own id of the device."))),
      },
      { description: "The device that the buyer uses." },
    ),
  ),
  terminalType: Type.Optional(OneOf(terminalTypes, "The older form of `env.terminalType`.")),
  osType: Type.Optional(OneOf(osTypes, "The older form of `env.osType`.")),
  osVersion: Type.Optional(Text(16, "The older form of `env.osVersion`.")),
  authClientId: Type.Optional(
    Digits(Text(64, "The merchant for which you request the consent, if not your own.")),
  ),
  authNotifyUrl: Type.Optional(
    Type.String({
      ...Url("The URL that receives webhooks about the code, the token and its end."),
      maxLength: 1024,
    }),
  ),
  merchantRegion: Type.Optional(Region("The region in which the merchant does business.")),
  merchantAccountId: Type.Optional(
    Digits(Text(64, "The account of yours, if one client id is used for several accounts.")),
  ),
  recurringPayment: Type.Optional(
    Type.Boolean({ description: "Whether you will charge regularly, as for a subscription." }),
  ),
  authMetaData: Type.Optional(
    Type.Object(
      {
        accountHolderName: Type.Optional(
          Type.String({ maxLength: 256, description: "The name on the account.", "x-secret": true }),
        ),
        accountHolderCertNo: Type.Optional(
          Digits(
            Type.String({
              maxLength: 64,
              description: "The number of the account holder's identity document.",
              "x-secret": true,
            }),
          ),
        ),
      },
      { description: "The account holder, if the payment provider requires it." },
    ),
  ),
  amount: Type.Optional(withDescription(Amount, "The amount that you will charge, shown to the buyer.")),
  extendInfo: Type.Optional(ExtendInfo),
});

type ConsultRequest = Static<typeof ConsultRequest>;

/** Idempotency: fields that must be equal in a repeated request. URLs and the buyer's device may differ. */
const comparedFields = ["customerBelongsTo", "scopes", "authClientId"] as const;

const consultResults = [
  "SUCCESS",
  "PARAM_ILLEGAL",
  "REPEAT_REQ_INCONSISTENT",
  "NO_PAY_OPTIONS",
  "UNAVAILABLE_PAYMENT_METHOD",
  "PAYMENT_METHOD_NOT_SUPPORTED",
  "AUTH_CANCELLED",
  "AUTH_EXPIRED",
  "UNKNOWN_EXCEPTION",
] as const;

type ConsultCode = (typeof consultResults)[number];

const appUrl = (description: string) =>
  Type.Optional(Type.String({ maxLength: 2048, description, "x-secret": true }));

export const consultAuthorization = action({
  path: "authorizations/consult",
  summary: "Requests a buyer's consent, such as payments without a confirmation each time.",
  description:
    "Send the buyer to `normalUrl`, within 30 minutes. A buyer who agrees returns to `authRedirectUrl` " +
    "with an `authCode`, which is valid for ten minutes: send it to `applyToken`. A repeated `authState` " +
    "returns the same consent and the same page. After a declined or expired consent, use a new " +
    "`authState`.",

  request: ConsultRequest,
  requiredFields: [requireField("env.osType", { "env.terminalType": ["WAP", "APP", "MINI_APP"] })],
  response: Type.Object({
    normalUrl: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "The payment provider's page on which the buyer agrees.",
        "x-secret": true,
      }),
    ),
    schemeUrl: appUrl("Opens the payment provider's app by its own URL scheme."),
    applinkUrl: appUrl("Opens the payment provider's app, or its web page if the app is not installed."),
    authUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: "The older name of `normalUrl`.", "x-secret": true }),
    ),
  }),
  results: consultResults,
  inStore: false,
  idempotency: { keyField: "authState", comparedFields },
  waitsForProvider: true,

  example: {
    request: {
      customerBelongsTo: "GCASH",
      authRedirectUrl: "https://shop.example/linked",
      scopes: ["AGREEMENT_PAY"],
      authState: "link-4711",
      env: { terminalType: "WEB" },
      authNotifyUrl: "https://shop.example/notify",
    },
    response: {
      normalUrl: "https://wallet.example/authorize/o7Yh2kLm9pQr4sTv6wXz8aBc",
      authUrl: "https://wallet.example/authorize/o7Yh2kLm9pQr4sTv6wXz8aBc",
    },
  },

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    const earlier = await findAuthorizationByState(call.tx, call, request.authState);
    if (earlier) return answerRepeat(earlier, fingerprint);
    const missing = missingField(request);
    if (missing) return refuse("PARAM_ILLEGAL", { field: missing, detail: `${missing} is missing.` });
    const { authRedirectUrl, authNotifyUrl } = request;
    const refusal = findUrlRefusal(call, { links: { authRedirectUrl }, notify: { authNotifyUrl } });
    if (refusal) return refusal;
    const connector = call.connectorFor(request.customerBelongsTo);
    if (!connector) return refuse("NO_PAY_OPTIONS", { field: "customerBelongsTo" });
    if (!call.isReachable(connector))
      return refuse("UNAVAILABLE_PAYMENT_METHOD", { detail: providerUnreachable });

    const { account } = call.referencesAt(connector, undefined);
    const authorization = newAuthorization(call, request, { fingerprint, connector, account });
    if (await insertAuthorization(call.tx, authorization)) return withLeasedJob(call, authorization);
    // This request lost a race against a request with the same `authState`.
    const winner = await findAuthorizationByState(call.tx, call, request.authState);
    return winner ? answerRepeat(winner, fingerprint) : refuse("UNKNOWN_EXCEPTION");
  },

  async read(call, authorization) {
    return (await findAuthorization(call.tx, call, authorization.authorizationId)) ?? authorization;
  },

  answer(authorization: Authorization) {
    const { providerUrl } = authorization;
    const code = consultCodeOf(authorization);
    if (code !== "SUCCESS" || providerUrl === undefined) return { code };
    if (!/^https?:/.test(providerUrl)) return { code, schemeUrl: providerUrl };
    return { code, normalUrl: providerUrl, authUrl: providerUrl };
  },
});

const providerUnreachable =
  "The payment provider does not respond at the moment. Nothing was recorded: send the request again later.";

/**
 * `consultCodeOf` returns UNKNOWN_EXCEPTION until the provider has sent the URL of its consent page, so that the
 * merchant retries.
 */
function consultCodeOf({ status, resultCode, providerUrl }: Authorization): ConsultCode {
  switch (status) {
    case "ASKED":
    case "AGREED":
    case "ACTIVE":
      return providerUrl === undefined ? "UNKNOWN_EXCEPTION" : "SUCCESS";
    case "DECLINED":
      return resultCode === "PAYMENT_METHOD_NOT_SUPPORTED" ? resultCode : "AUTH_CANCELLED";
    case "REVOKED":
    case "CANCELED":
      return "AUTH_CANCELLED";
    case "EXPIRED":
      return "AUTH_EXPIRED";
  }
}

function answerRepeat(
  authorization: Authorization,
  fingerprint: Buffer,
): ClaimResult<Authorization> | Refusal<"REPEAT_REQ_INCONSISTENT"> {
  return rejectChangedRepeat(comparedFields, authorization, fingerprint) ?? { record: authorization };
}

/**
 * `missingField` returns the missing field of the buyer's device. It accepts both forms of the device: `env`, or the
 * older fields.
 */
function missingField({ env, terminalType, osType }: ConsultRequest): string | undefined {
  const terminal = env?.terminalType ?? terminalType;
  if (terminal === undefined) return "env";
  if (terminal === "WEB" || (env?.osType ?? osType)) return undefined;
  return env ? "env.osType" : "osType";
}

function newAuthorization(
  call: Call,
  request: ConsultRequest,
  { fingerprint, connector, account }: Pick<Authorization, "fingerprint" | "connector" | "account">,
): Authorization {
  const { environment, bucket, clientId, now } = call;
  const { authState, authClientId, customerBelongsTo, authRedirectUrl, authNotifyUrl } = request;
  return {
    bucket,
    clientId,
    authorizationId: call.newId("authorization"),
    authState,
    authClientId,
    customerBelongsTo,
    scopes: [...new Set(request.scopes)],
    redirectUrl: authRedirectUrl,
    notifyUrl: authNotifyUrl,
    fingerprint,
    connector,
    reference: providerReference(environment, clientId, "authorization", authState),
    providerUrl: undefined,
    account,
    acceptedAt: undefined,
    status: "ASKED",
    resultCode: undefined,
    expiresAt: new Date(now.getTime() + consentLifetimeMs),
    sealedAgreement: undefined,
    userLoginId: undefined,
    providerNotifiedAt: undefined,
    sequence: 1,
    createdAt: now,
  };
}

async function withLeasedJob(call: Call, authorization: Authorization): Promise<ClaimResult<Authorization>> {
  const { bucket, clientId, authorizationId: subjectId } = authorization;
  const leased = await insertLeasedJob(call.tx, { bucket, clientId, subjectId, job: "follow-authorization" });
  return { record: authorization, leasedJob: { ...leased, record: authorization } };
}
