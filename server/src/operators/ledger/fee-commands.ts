import type { Commands, Given, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { timeAgo } from "../framework/time-ago.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const fees = (): Promise<typeof import("./fee.ts")> => import("./fee.ts");
const costs = (): Promise<typeof import("../reconciliation/provider-cost.ts")> =>
  import("../reconciliation/provider-cost.ts");

const scopeOptions = {
  method: {
    value: "METHOD",
    does: "Only for this payment method, as in `pay`: GCASH (default all)",
  },
  currency: {
    value: "CODE",
    does: "Only for this currency; required with fixed amounts (default all)",
  },
} as const satisfies Options;

const policies = { keep: "keep", "return-rate": "return rate", "return-all": "return all" } as const;

/** Commands for merchants' fees and for the costs of payment providers. */
export const feeCommands: Commands = {
  "fee set": {
    needs: "finance",
    acts: { english: "Set a fee rule", chinese: "设置费率规则" },
    requiresApproval: true,
    does: "Add a fee rule: rate, fixed part, minimum, tax, refund policy",
    about:
      "Adds a rule and never changes one: payments created before the rule begins keep their terms " +
      "permanently. The most specific rule applies: the merchant's before the general one, then by method, " +
      "then by currency; among those, the newest that has begun. In live a rule begins at a future midnight " +
      `(UTC+8). docs/operating/fees.md explains rounding. ${ownersSettings}`,
    options: {
      rate: { value: "PERCENT", does: "Percentage of the amount, up to 20: 2.9", isRequired: true },
      from: {
        value: "DAY",
        does: "First day (UTC+8), 2026-12-01; in the sandbox also an ISO 8601 time",
        isRequired: true,
      },
      "client-id": { value: "ID", does: "Only for this merchant (default all merchants)" },
      ...scopeOptions,
      fixed: { value: "N", does: "Fixed fee per payment in minor units: 30 is EUR 0.30" },
      minimum: { value: "N", does: "Minimum fee per payment" },
      maximum: { value: "N", does: "Maximum fee per payment" },
      tax: { value: "PERCENT", does: "Tax on the fee, added to it" },
      "on-refund": {
        value: "POLICY",
        does: "Fee returned by refunds: keep, return-rate or return-all (default keep)",
        oneOf: Object.keys(policies),
      },
      "refund-fee": { value: "N", does: "Fixed fee for each refund" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate fee set --rate 2.9 --from 2026-12-01",
      "tollgate fee set --method GCASH --currency PHP --rate 1.85 --fixed 1000 --tax 12 --on-refund return-rate --from 2026-12-01",
    ],
    run: async (given) => {
      const { setFeeRule, feeRuleTable } = await fees();
      const terms = {
        rateMillionths: millionths(given, "rate", 20) ?? 0n,
        fixedMinor: sum(given, "fixed") ?? 0n,
        minimumMinor: sum(given, "minimum") ?? 0n,
        maximumMinor: sum(given, "maximum"),
        taxMillionths: millionths(given, "tax", 50) ?? 0n,
        refundPolicy: policies[(given.value("on-refund") ?? "keep") as keyof typeof policies],
        refundFixedMinor: sum(given, "refund-fee") ?? 0n,
      };
      const asked = { ...scopeOf(given), clientId: given.value("client-id"), from: required(given, "from") };
      const rule = await setFeeRule(operatorOf(given), { ...asked, terms });
      show(given, rule, feeRuleTable([rule], new Date()));
    },
  },
  "fee list": {
    needs: "support",
    does: "List fee rules, newest first, including future ones",
    about: ownersSettings,
    options: {
      "client-id": { value: "ID", does: "Only rules of this merchant, and general ones" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee list", "tollgate fee list --client-id SANDBOX_7H2KQ9XW3M5T8RBC"],
    run: async (given) => {
      const { findFeeRules, feeRuleTable } = await fees();
      const rules = await findFeeRules(operatorOf(given), given.value("client-id"));
      show(given, rules, feeRuleTable(rules, new Date()));
    },
  },
  "fee show": {
    needs: "support",
    does: "Calculate a payment's fee and show its rule",
    about: `For an existing payment, \`tollgate payment show\` prints the rule and the booked fee. ${ownersSettings}`,
    options: {
      "client-id": { value: "ID", does: "Client id of the merchant", isRequired: true },
      currency: { value: "CODE", does: "Currency of the payment", isRequired: true },
      method: { value: "METHOD", does: "Payment method, as in `pay`" },
      at: {
        value: "TIME",
        does: "Creation time: ISO 8601 with a zone, or an age, 24h or 7d (default now)",
      },
      amount: { value: "N", does: "Amount in minor units, to calculate the fee" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate fee show --client-id SANDBOX_7H2KQ9XW3M5T8RBC --method GCASH --currency PHP --amount 125000",
      "tollgate fee show --client-id SANDBOX_7H2KQ9XW3M5T8RBC --currency EUR --at 2026-12-01T00:00:00+08:00",
    ],
    run: async (given) => {
      const { findFee, shownFeeText } = await fees();
      const now = new Date();
      const currency = required(given, "currency");
      const found = await findFee(operatorOf(given), {
        clientId: required(given, "client-id"),
        paymentMethodType: given.value("method"),
        currency,
        at: timeAgo(given, "at", now) ?? now,
        amountMinor: sum(given, "amount"),
      });
      show(given, found, shownFeeText(found, currency));
    },
  },
  "fee cost set": {
    needs: "finance",
    acts: { english: "Set a payment provider's cost", chinese: "设置支付服务商成本" },
    does: "Set the fee that a payment provider should deduct by contract",
    about: `Moves no money. The fees in the provider's settlement files are compared with it. ${ownersSettings}`,
    options: {
      connector: { value: "NAME", does: "Connector of the provider", isRequired: true },
      rate: { value: "PERCENT", does: "Percentage of the amount", isRequired: true },
      from: { value: "DAY", does: "First day, from midnight UTC+8", isRequired: true },
      ...scopeOptions,
      fixed: { value: "N", does: "Fixed cost per payment, in minor units" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost set --connector gcash --rate 1.2 --from 2026-12-01"],
    run: async (given) => {
      const { setProviderCost, providerCostTable } = await costs();
      const cost = await setProviderCost(operatorOf(given), {
        ...scopeOf(given),
        connector: required(given, "connector"),
        from: required(given, "from"),
        rateMillionths: millionths(given, "rate", 100) ?? 0n,
        fixedMinor: sum(given, "fixed") ?? 0n,
      });
      show(given, cost, providerCostTable([cost]));
    },
  },
  "fee cost list": {
    needs: "support",
    does: "List contractual costs of payment providers, newest first",
    about: ownersSettings,
    options: { connector: { value: "NAME", does: "Only this connector" }, ...operatorOptions, ...jsonOption },
    examples: ["tollgate fee cost list"],
    run: async (given) => {
      const { findProviderCosts, providerCostTable } = await costs();
      const found = await findProviderCosts(operatorOf(given), given.value("connector"));
      show(given, found, providerCostTable(found));
    },
  },
  "fee cost compare": {
    needs: "support",
    does: "Compare providers' contractual costs of a day with their files",
    about:
      "Exits with code 1 if they differ by more than one minor unit per payment, or if payments have no " +
      "contract.\n" +
      ownersSettings,
    options: {
      day: { value: "DAY", does: "Book day, which ends at midnight UTC+8", isRequired: true },
      connector: { value: "NAME", does: "Only this connector" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost compare --day 2026-12-01"],
    run: async (given) => {
      const { compareProviderCosts, comparedCostTable } = await costs();
      const asked = { connector: given.value("connector"), day: required(given, "day") };
      const compared = await compareProviderCosts(operatorOf(given), asked);
      show(given, compared, comparedCostTable(compared));
      if (compared.some(({ isDifferent, unknownCount }) => isDifferent || unknownCount > 0))
        process.exitCode = 1;
    },
  },
};

function scopeOf(given: Given): {
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
} {
  return { paymentMethodType: given.value("method"), currency: given.value("currency") };
}

/** Parses per cent with up to four decimal places to millionths, without floating-point arithmetic. */
export function millionths(given: Given, option: string, most: number): bigint | undefined {
  const text = given.value(option);
  if (text === undefined) return undefined;
  const [, whole = "", part = ""] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const value = BigInt(whole) * 10_000n + BigInt(part.padEnd(4, "0"));
  if (whole !== "" && value <= BigInt(most) * 10_000n) return value;
  throw new UsageError(
    `--${option} must be a percentage up to ${most} with at most four decimal places, such as 2.9.`,
  );
}

const mostMinor = 1_000_000_000_000;

function sum(given: Given, option: string): bigint | undefined {
  const minor = wholeNumber(given, option, [0, mostMinor]);
  return minor === undefined ? undefined : BigInt(minor);
}
