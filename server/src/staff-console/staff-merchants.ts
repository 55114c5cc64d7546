import { Type } from "typebox";
import {
  changeMerchant,
  findMerchant,
  listMerchants,
  type MerchantDetails,
} from "../operators/merchants/merchant-settings.ts";
import { minorDigits } from "../core/currency.ts";
import type { FeeRule } from "../ledger/fee-rule.ts";
import { calculateFee } from "../ledger/fee.ts";
import { feeText, percentText } from "../operators/ledger/fee-rules.ts";
import { pinMerchantGatewayKey } from "../operators/merchants/merchant.ts";
import { staffAct, staffView } from "./staff-route.ts";
import { ClientId, ConnectorName, Count, Optional, Moment, PayoutHold, Sum, sumOf } from "./staff-schemas.ts";

/**
 * Maximum number of merchants on the page, which is more than a person reads. For one merchant among many, people
 * search for a part of its name.
 */
const merchantsMax = 200;

export const showMerchants = staffView({
  name: "merchants",
  summary: "Clients of merchants, by a part of their name or id, newest first.",
  permission: "merchants.read",
  request: Type.Object({ part: Optional(Type.String({ minLength: 1, maxLength: 100 })) }),
  response: Type.Object({
    count: Count,
    merchants: Type.Array(
      Type.Object({
        clientId: ClientId,
        name: Type.String(),
        status: Type.String(),
        ratePerSecond: Count,
        feeBasisPoints: Count,
        gatewayKeyVersion: Count,
        createdAt: Moment,
      }),
    ),
  }),
  async find(context, { part = "" }) {
    const searchText = part.toLowerCase();
    const isMatch = (text: string): boolean => text.toLowerCase().includes(searchText);
    const found = (await listMerchants(context)).filter(
      ({ name, clientId }) => isMatch(name) || isMatch(clientId),
    );
    return { count: found.length, merchants: found.toReversed().slice(0, merchantsMax) };
  },
});

const Merchant = Type.Object({
  clientId: ClientId,
  name: Type.String(),
  status: Type.Enum(["ACTIVE", "SUSPENDED", "CLOSED"]),
  ratePerSecond: Count,
  rateBurst: Count,
  timeToleranceSeconds: Count,
  feeBasisPoints: Count,
  isPlainRateUsed: Type.Boolean({
    description: "Whether some payments have no fee rule and use feeBasisPoints.",
  }),
  feeRules: Type.Array(
    Type.Object({
      ruleId: Type.String(),
      isOwn: Type.Boolean({ description: "True if the rule is for this merchant only." }),
      paymentMethodType: Optional(Type.String({ description: "Absent if the rule applies to all methods." })),
      currency: Optional(Type.String({ description: "Absent if the rule applies to all currencies." })),
      fromAt: Moment,
      fee: Type.String({ description: "Rate, fixed part, minimum and maximum, such as `2.9 % + EUR 0.30`." }),
      tax: Type.String({ description: "Tax on the fee, such as `19 %`." }),
      example: Optional(
        Type.Object(
          { amount: Sum, cost: Sum },
          { description: "Fee of a payment of 100, tax included; absent without a currency." },
        ),
      ),
    }),
    { description: "Fee rules that apply to its payments now, the most specific first." },
  ),
  linkSchemes: Type.Array(Type.String()),
  gatewayKeyVersion: Count,
  keyVersions: Type.Array(Count, { description: "Versions of its keys that are not revoked." }),
  notifyUrls: Type.Array(
    Type.Object({ kind: Type.String(), url: Type.String({ description: "The address without its query." }) }),
  ),
  providerAccounts: Type.Array(Type.Object({ connector: ConnectorName, account: Type.String() }), {
    description: "Accounts at payment providers, for new orders.",
  }),
  paused: Type.Array(Type.String(), { description: "Paused endpoints or webhook kinds." }),
  clockAheadSeconds: Type.Integer({ description: "Seconds by which its test clock is ahead." }),
  payoutHold: Optional(PayoutHold),
});

export const showMerchant = staffView({
  name: "merchant",
  summary: "A merchant's settings: limits, fee, keys, addresses.",
  permission: "merchants.read",
  request: Type.Object({ clientId: ClientId }),
  response: Merchant,
  auditSubjectOf: ({ clientId }) => ({ subject: clientId, clientId }),
  find: async (context, { clientId }) => toMerchantResponse(await findMerchant(context, clientId)),
});

function toFeeRuleResponse({ clientId, paymentMethodType, currency, fromAt, terms }: FeeRule): object {
  const digits = currency === undefined ? undefined : minorDigits(currency);
  const minor = 100n * 10n ** BigInt(digits ?? 0);
  const { feeMinor, taxMinor } = calculateFee(terms, minor);
  return {
    ruleId: terms.ruleId,
    isOwn: clientId !== undefined,
    paymentMethodType,
    currency,
    fromAt,
    fee: feeText(terms, currency),
    tax: percentText(terms.taxMillionths),
    ...(currency !== undefined &&
      digits !== undefined && {
        example: {
          amount: sumOf({ currency, minor }),
          cost: sumOf({ currency, minor: feeMinor + taxMinor }),
        },
      }),
  };
}

/** A merchant as staff see it, without the query of an address, which may contain a secret of the merchant. */
function toMerchantResponse({ notifyUrls, aheadMs, feeRules, ...merchant }: MerchantDetails): object {
  return {
    ...merchant,
    feeRules: feeRules.map(toFeeRuleResponse),
    notifyUrls: notifyUrls.map(({ kind, url }) => ({ kind, url: url.replace(/[?#].*$/s, "") })),
    clockAheadSeconds: Math.round(aheadMs / 1000),
  };
}

export const setMerchant = staffAct({
  name: "setMerchant",
  auditedAct: "merchant set",
  summary: "Changes the name, the limits or the fee of a merchant; absent fields stay unchanged.",
  permission: "merchants.change",
  request: Type.Object({
    clientId: ClientId,
    name: Optional(Type.String({ minLength: 1, maxLength: 256 })),
    ratePerSecond: Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    rateBurst: Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    timeToleranceSeconds: Optional(Type.Integer({ minimum: 1, maximum: 3_600 })),
    feeBasisPoints: Optional(Type.Integer({ minimum: 0, maximum: 2_000 })),
  }),
  response: Merchant,
  async act(context, { clientId, ...change }) {
    const { after } = await changeMerchant(context, clientId, change);
    return toMerchantResponse(after);
  },
});

const MerchantRequest = Type.Object({ clientId: ClientId });

export const suspendMerchant = staffAct({
  name: "suspendMerchant",
  auditedAct: "merchant suspend",
  summary: "Rejects all API requests of a merchant, within a second, until it is resumed.",
  permission: "merchants.change",
  request: MerchantRequest,
  response: Merchant,
  async act(context, { clientId }) {
    return toMerchantResponse((await changeMerchant(context, clientId, { status: "SUSPENDED" })).after);
  },
});

export const resumeMerchant = staffAct({
  name: "resumeMerchant",
  auditedAct: "merchant resume",
  summary: "Accepts the API requests of a suspended merchant again.",
  permission: "merchants.change",
  request: MerchantRequest,
  response: Merchant,
  async act(context, { clientId }) {
    return toMerchantResponse((await changeMerchant(context, clientId, { status: "ACTIVE" })).after);
  },
});

export const moveMerchantKey = staffAct({
  name: "moveMerchantKey",
  auditedAct: "merchant gateway-key",
  summary: "Pins a merchant to a gateway key. The merchant must have its public key already.",
  permission: "merchants.change",
  request: Type.Object({ clientId: ClientId, version: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
  response: Merchant,
  async act(context, { clientId, version }) {
    await pinMerchantGatewayKey(context, clientId, version);
    return toMerchantResponse(await findMerchant(context, clientId));
  },
});
