import type { Commands, CommandArguments, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseTimeOrAge } from "../framework/parse-time-or-age.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const importFeeRules = (): Promise<typeof import("./fee-rules.ts")> => import("./fee-rules.ts");
const importContractCosts = (): Promise<typeof import("../reconciliation/contract-costs.ts")> =>
  import("../reconciliation/contract-costs.ts");

const scopeOptions = {
  method: {
    value: "METHOD",
    summary: "Only for this payment method, as in `pay`: GCASH (default all)",
  },
  currency: {
    value: "CODE",
    summary: "Only for this currency; required with fixed amounts (default all)",
  },
} as const satisfies Options;

const policies = { keep: "keep", "return-rate": "return rate", "return-all": "return all" } as const;

/** Commands for merchants' fees and for the costs of payment providers. */
export const feeCommands: Commands = {
  "fee set": {
    requiredRole: "finance",
    auditLabel: { english: "Set a fee rule", chinese: "设置费率规则" },
    requiresApproval: true,
    summary: "Add a fee rule: rate, fixed part, minimum, tax, refund policy",
    description:
      "Adds a rule and never changes one: payments created before the rule begins keep their terms " +
      "permanently. The most specific rule applies: the merchant's before the general one, then by method, " +
      "then by currency; among those, the newest that has begun. In live a rule begins at a future midnight " +
      `(UTC+8). docs/operating/fees.md explains rounding. ${ownerSettingsHelp}`,
    options: {
      rate: { value: "PERCENT", summary: "Percentage of the amount, up to 20: 2.9", isRequired: true },
      from: {
        value: "DAY",
        summary: "First day (UTC+8), 2026-12-01; in the sandbox also an ISO 8601 time",
        isRequired: true,
      },
      "client-id": { value: "ID", summary: "Only for this merchant (default all merchants)" },
      ...scopeOptions,
      fixed: { value: "N", summary: "Fixed fee per payment in minor units: 30 is EUR 0.30" },
      minimum: { value: "N", summary: "Minimum fee per payment" },
      maximum: { value: "N", summary: "Maximum fee per payment" },
      tax: { value: "PERCENT", summary: "Tax on the fee, added to it" },
      "on-refund": {
        value: "POLICY",
        summary: "Fee returned by refunds: keep, return-rate or return-all (default keep)",
        oneOf: Object.keys(policies),
      },
      "refund-fee": { value: "N", summary: "Fixed fee for each refund" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate fee set --rate 2.9 --from 2026-12-01",
      "tollgate fee set --method GCASH --currency PHP --rate 1.85 --fixed 1000 --tax 12 --on-refund return-rate --from 2026-12-01",
    ],
    run: async (args) => {
      const { setFeeRule, feeRuleTable } = await importFeeRules();
      const terms = {
        rateMillionths: parseMillionths(args, "rate", 20) ?? 0n,
        fixedMinor: parseMinorUnits(args, "fixed") ?? 0n,
        minimumMinor: parseMinorUnits(args, "minimum") ?? 0n,
        maximumMinor: parseMinorUnits(args, "maximum"),
        taxMillionths: parseMillionths(args, "tax", 50) ?? 0n,
        refundPolicy: policies[(args.value("on-refund") ?? "keep") as keyof typeof policies],
        refundFixedMinor: parseMinorUnits(args, "refund-fee") ?? 0n,
      };
      const request = {
        ...readScope(args),
        clientId: args.value("client-id"),
        from: requiredOption(args, "from"),
      };
      const rule = await setFeeRule(operatorOf(args), { ...request, terms });
      printResult(args, rule, feeRuleTable([rule], new Date()));
    },
  },
  "fee list": {
    requiredRole: "support",
    summary: "List fee rules, newest first, including future ones",
    description: ownerSettingsHelp,
    options: {
      "client-id": { value: "ID", summary: "Only rules of this merchant, and general ones" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee list", "tollgate fee list --client-id SANDBOX_7H2KQ9XW3M5T8RBC"],
    run: async (args) => {
      const { findFeeRules, feeRuleTable } = await importFeeRules();
      const rules = await findFeeRules(operatorOf(args), args.value("client-id"));
      printResult(args, rules, feeRuleTable(rules, new Date()));
    },
  },
  "fee show": {
    requiredRole: "support",
    summary: "Calculate a payment's fee and show its rule",
    description: `For an existing payment, \`tollgate payment show\` prints the rule and the booked fee. ${ownerSettingsHelp}`,
    options: {
      "client-id": { value: "ID", summary: "Client id of the merchant", isRequired: true },
      currency: { value: "CODE", summary: "Currency of the payment", isRequired: true },
      method: { value: "METHOD", summary: "Payment method, as in `pay`" },
      at: {
        value: "TIME",
        summary: "Creation time: ISO 8601 with a zone, or an age, 24h or 7d (default now)",
      },
      amount: { value: "N", summary: "Amount in minor units, to calculate the fee" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate fee show --client-id SANDBOX_7H2KQ9XW3M5T8RBC --method GCASH --currency PHP --amount 125000",
      "tollgate fee show --client-id SANDBOX_7H2KQ9XW3M5T8RBC --currency EUR --at 2026-12-01T00:00:00+08:00",
    ],
    run: async (args) => {
      const { findFee, feeDetailsText } = await importFeeRules();
      const now = new Date();
      const currency = requiredOption(args, "currency");
      const fee = await findFee(operatorOf(args), {
        clientId: requiredOption(args, "client-id"),
        paymentMethodType: args.value("method"),
        currency,
        at: parseTimeOrAge(args, "at", now) ?? now,
        amountMinor: parseMinorUnits(args, "amount"),
      });
      printResult(args, fee, feeDetailsText(fee, currency));
    },
  },
  "fee cost set": {
    requiredRole: "finance",
    auditLabel: { english: "Set a payment provider's cost", chinese: "设置支付服务商成本" },
    summary: "Set the fee that a payment provider should deduct by contract",
    description: `Moves no money. The fees in the provider's settlement files are compared with it. ${ownerSettingsHelp}`,
    options: {
      connector: { value: "NAME", summary: "Connector of the provider", isRequired: true },
      rate: { value: "PERCENT", summary: "Percentage of the amount", isRequired: true },
      from: { value: "DAY", summary: "First day, from midnight UTC+8", isRequired: true },
      ...scopeOptions,
      fixed: { value: "N", summary: "Fixed cost per payment, in minor units" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost set --connector gcash --rate 1.2 --from 2026-12-01"],
    run: async (args) => {
      const { setProviderCost, providerCostTable } = await importContractCosts();
      const cost = await setProviderCost(operatorOf(args), {
        ...readScope(args),
        connector: requiredOption(args, "connector"),
        from: requiredOption(args, "from"),
        rateMillionths: parseMillionths(args, "rate", 100) ?? 0n,
        fixedMinor: parseMinorUnits(args, "fixed") ?? 0n,
      });
      printResult(args, cost, providerCostTable([cost]));
    },
  },
  "fee cost list": {
    requiredRole: "support",
    summary: "List contractual costs of payment providers, newest first",
    description: ownerSettingsHelp,
    options: {
      connector: { value: "NAME", summary: "Only this connector" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost list"],
    run: async (args) => {
      const { findProviderCosts, providerCostTable } = await importContractCosts();
      const costs = await findProviderCosts(operatorOf(args), args.value("connector"));
      printResult(args, costs, providerCostTable(costs));
    },
  },
  "fee cost compare": {
    requiredRole: "support",
    summary: "Compare providers' contractual costs of a day with their files",
    description:
      "Exits with code 1 if they differ by more than one minor unit per payment, or if payments have no " +
      "contract.\n" +
      ownerSettingsHelp,
    options: {
      day: { value: "DAY", summary: "Book day, which ends at midnight UTC+8", isRequired: true },
      connector: { value: "NAME", summary: "Only this connector" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost compare --day 2026-12-01"],
    run: async (args) => {
      const { compareProviderCosts, costComparisonTable } = await importContractCosts();
      const request = { connector: args.value("connector"), day: requiredOption(args, "day") };
      const comparison = await compareProviderCosts(operatorOf(args), request);
      printResult(args, comparison, costComparisonTable(comparison));
      if (comparison.some(({ isDifferent, unknownCount }) => isDifferent || unknownCount > 0))
        process.exitCode = 1;
    },
  },
};

function readScope(args: CommandArguments): {
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
} {
  return { paymentMethodType: args.value("method"), currency: args.value("currency") };
}

/** Parses per cent with up to four decimal places to millionths, without floating-point arithmetic. */
export function parseMillionths(args: CommandArguments, option: string, max: number): bigint | undefined {
  const text = args.value(option);
  if (text === undefined) return undefined;
  const [, integerDigits = "", decimals = ""] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const value = BigInt(integerDigits) * 10_000n + BigInt(decimals.padEnd(4, "0"));
  if (integerDigits !== "" && value <= BigInt(max) * 10_000n) return value;
  throw new UsageError(
    `--${option} must be a percentage up to ${max} with at most four decimal places, such as 2.9.`,
  );
}

const maxMinor = 1_000_000_000_000;

function parseMinorUnits(args: CommandArguments, option: string): bigint | undefined {
  const minor = parseWholeNumber(args, option, [0, maxMinor]);
  return minor === undefined ? undefined : BigInt(minor);
}
