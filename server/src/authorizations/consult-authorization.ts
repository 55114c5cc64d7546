import { Type, type Static } from "typebox";
import { action, type Call, type Claimed } from "../api/operation.ts";
import {
  Amount,
  described,
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
} from "../api/schemas.ts";
import { walletReference } from "../core/wallet-reference.ts";
import { repeatRefusal } from "../core/repeat.ts";
import { need } from "../core/need.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { findAuthorization, findAuthorizationByState, insertAuthorization } from "./authorization.sql.ts";
import { consentLifetimeMs, scopes, type Authorization } from "./authorization.ts";
import { addressRefusal } from "../merchants/address.ts";

const TerminalType = OneOf(terminalTypes, "Where the buyer is.");
const OsType = OneOf(osTypes, "The system of the phone.");

const scopesInWords: Meanings<(typeof scopes)[number]> = {
  AGREEMENT_PAY: "To be charged without being asked each time.",
  BASE_USER_INFO: "That you learn who the buyer is at the wallet.",
  USER_INFO: "That you learn what the wallet knows of the buyer.",
};

const ConsultRequest = Type.Object({
  customerBelongsTo: Text(64, "The wallet whose customer the buyer is, for example GCASH."),
  authRedirectUrl: Type.String({
    ...Url("Where the buyer returns to; `authCode` and `authState` are added as parameters."),
    maxLength: 1024,
  }),
  scopes: Type.Array(OneOf(scopesInWords, "What the buyer is asked to agree to."), {
    minItems: 1,
    maxItems: 4,
    description: "What the buyer is asked to agree to.",
  }),
  authState: Digits(Text(256, "Your own name for it, never used before; comes back unchanged.")),
  env: Type.Optional(
    Type.Object(
      {
        terminalType: TerminalType,
        osType: Type.Optional(OsType),
        osVersion: Type.Optional(Text(64, "The version of that system.")),
        userAgent: Type.Optional(Personal(2048, "The header `User-Agent` of the buyer's browser.")),
        clientIp: Type.Optional(Personal(64, "The internet address from which the buyer comes.")),
        deviceId: Type.Optional(Digits(Personal(128, "Your own name for the device."))),
      },
      { description: "The device that the buyer uses." },
    ),
  ),
  terminalType: Type.Optional(OneOf(terminalTypes, "The older form of `env.terminalType`.")),
  osType: Type.Optional(OneOf(osTypes, "The older form of `env.osType`.")),
  osVersion: Type.Optional(Text(16, "The older form of `env.osVersion`.")),
  authClientId: Type.Optional(Digits(Text(64, "The merchant in whose name you ask, if not your own."))),
  authNotifyUrl: Type.Optional(
    Type.String({ ...Url("Where we report the code, the token and its end."), maxLength: 1024 }),
  ),
  merchantRegion: Type.Optional(Region("Where the merchant does business.")),
  merchantAccountId: Type.Optional(
    Digits(Text(64, "Which of your accounts, if one client id stands for several.")),
  ),
  recurringPayment: Type.Optional(
    Type.Boolean({ description: "Whether you will charge at regular times, as for a subscription." }),
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
      { description: "Whose account it is, where the wallet asks for it." },
    ),
  ),
  amount: Type.Optional(described(Amount, "What you are going to charge, for the buyer to see.")),
  extendInfo: Type.Optional(ExtendInfo),
});

type ConsultRequest = Static<typeof ConsultRequest>;

/** Idempotency: fields that a repeat must have equal. Addresses and the buyer's device may differ. */
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
  summary: "Asks a buyer to agree to something, such as payments without a look at each.",
  description:
    "Send the buyer to `normalUrl`, within 30 minutes. Who agrees comes back to `authRedirectUrl` with an `authCode` that is " +
    "good for ten minutes: give it to `applyToken`. The same `authState` is the same consent and the same page; one that " +
    "was declined or has expired needs a new one.",

  request: ConsultRequest,
  needs: [need("env.osType", { "env.terminalType": ["WAP", "APP", "MINI_APP"] })],
  response: Type.Object({
    normalUrl: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "The wallet's page on which the buyer agrees.",
        "x-secret": true,
      }),
    ),
    schemeUrl: appUrl("Opens the wallet's app by its own scheme."),
    applinkUrl: appUrl("Opens the wallet's app, or its page where there is no app."),
    authUrl: Type.Optional(
      Type.String({ maxLength: 2048, description: "The older name of `normalUrl`.", "x-secret": true }),
    ),
  }),
  results: consultResults,
  inStore: false,
  once: { id: "authState", same: comparedFields },
  waits: true,

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
    if (earlier) return repeated(earlier, fingerprint);
    const missing = missingField(request);
    if (missing) return refuse("PARAM_ILLEGAL", { field: missing, detail: `${missing} is missing.` });
    const { authRedirectUrl, authNotifyUrl } = request;
    const wrong = addressRefusal(call, { links: { authRedirectUrl }, notify: { authNotifyUrl } });
    if (wrong) return wrong;
    const connector = call.connectorFor(request.customerBelongsTo);
    if (!connector) return refuse("NO_PAY_OPTIONS", { field: "customerBelongsTo" });
    if (!call.isReachable(connector)) return refuse("UNAVAILABLE_PAYMENT_METHOD", { detail: unreachable });

    const authorization = newAuthorization(call, request, { fingerprint, connector });
    if (await insertAuthorization(call.tx, authorization)) return recorded(call, authorization);
    // Lost a race against the same `authState`.
    const other = await findAuthorizationByState(call.tx, call, request.authState);
    return other ? repeated(other, fingerprint) : refuse("UNKNOWN_EXCEPTION");
  },

  async read(call, authorization) {
    return (await findAuthorization(call.tx, call, authorization.authorizationId)) ?? authorization;
  },

  answer(authorization: Authorization) {
    const { walletUrl } = authorization;
    const code = consultCodeOf(authorization);
    if (code !== "SUCCESS" || walletUrl === undefined) return { code };
    if (!/^https?:/.test(walletUrl)) return { code, schemeUrl: walletUrl };
    return { code, normalUrl: walletUrl, authUrl: walletUrl };
  },
});

const unreachable = "The wallet does not answer just now. Nothing was recorded: send it again later.";

/** Unknown until the wallet has given the URL of its consent page: the merchant retries. */
function consultCodeOf({ status, resultCode, walletUrl }: Authorization): ConsultCode {
  switch (status) {
    case "ASKED":
    case "AGREED":
    case "ACTIVE":
      return walletUrl === undefined ? "UNKNOWN_EXCEPTION" : "SUCCESS";
    case "DECLINED":
      return resultCode === "PAYMENT_METHOD_NOT_SUPPORTED" ? resultCode : "AUTH_CANCELLED";
    case "REVOKED":
    case "CANCELED":
      return "AUTH_CANCELLED";
    case "EXPIRED":
      return "AUTH_EXPIRED";
  }
}

function repeated(
  authorization: Authorization,
  fingerprint: Buffer,
): Claimed<Authorization> | Refusal<"REPEAT_REQ_INCONSISTENT"> {
  return repeatRefusal(comparedFields, authorization, fingerprint) ?? { record: authorization };
}

/** In either form: `env`, or the fields that came before it. */
function missingField({ env, terminalType, osType }: ConsultRequest): string | undefined {
  const terminal = env?.terminalType ?? terminalType;
  if (terminal === undefined) return "env";
  if (terminal === "WEB" || (env?.osType ?? osType)) return undefined;
  return env ? "env.osType" : "osType";
}

function newAuthorization(
  call: Call,
  request: ConsultRequest,
  { fingerprint, connector }: Pick<Authorization, "fingerprint" | "connector">,
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
    reference: walletReference(environment, clientId, "authorization", authState),
    walletUrl: undefined,
    acceptedAt: undefined,
    status: "ASKED",
    resultCode: undefined,
    expiresAt: new Date(now.getTime() + consentLifetimeMs),
    sealedAgreement: undefined,
    userLoginId: undefined,
    walletToldAt: undefined,
    sequence: 1,
    createdAt: now,
  };
}

async function recorded(call: Call, authorization: Authorization): Promise<Claimed<Authorization>> {
  const { bucket, clientId, authorizationId: subjectId } = authorization;
  const leased = await insertLeasedJob(call.tx, { bucket, clientId, subjectId, job: "follow-authorization" });
  return { record: authorization, leased: { ...leased, record: authorization } };
}
