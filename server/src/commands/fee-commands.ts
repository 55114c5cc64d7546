import { UsageError, type Commands, type Given, type Options } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";
import { timeAgo } from "./time-ago.ts";
import { wholeNumber } from "./whole-number.ts";

const fees = (): Promise<typeof import("./fee.ts")> => import("./fee.ts");
const costs = (): Promise<typeof import("./wallet-cost.ts")> => import("./wallet-cost.ts");

const scopeOptions = {
  method: {
    value: "METHOD",
    does: "for this payment method alone, as in `pay`: GCASH; all, when it is absent",
  },
  currency: {
    value: "CODE",
    does: "for payments in this currency alone, and sums are in it; all, when it is absent",
  },
} as const satisfies Options;

const policies = { keep: "keep", "return-rate": "return rate", "return-all": "return all" } as const;

/** Commands about what a payment costs: the merchant, and us. */
export const feeCommands: Commands = {
  "fee set": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    does: "what merchants pay from a day on: rate, fixed part, minimum, tax, and what refunds return",
    about:
      "A rule is added, and none is changed: payments that were created before it begins keep theirs, for ever. The most specific one counts:\n" +
      "a merchant's before everybody's, then a method's, then a currency's; and of those the newest that has begun. In live it begins at a\n" +
      `midnight of UTC+8 that is to come. docs/operating/fees.md says how it is rounded. ${ownersSettings}`,
    options: {
      rate: { value: "PERCENT", does: "part of what is paid, in per cent: 2.9, up to 20", isRequired: true },
      from: {
        value: "DAY",
        does: "the first day, 2026-12-01, by UTC+8; in the sandbox also a time in ISO 8601 with a zone",
        isRequired: true,
      },
      "client-id": { value: "ID", does: "for this merchant alone; everybody, when it is absent" },
      ...scopeOptions,
      fixed: { value: "N", does: "a sum for each payment, in the smallest unit: 30 is EUR 0.30" },
      minimum: { value: "N", does: "the least that a payment costs" },
      maximum: { value: "N", does: "the most" },
      tax: { value: "PERCENT", does: "tax on the fee, and on top of it" },
      "on-refund": {
        value: "POLICY",
        does: "what refunds give back of the fee: keep (nothing), return-rate or return-all; keep, when it is absent",
        oneOf: Object.keys(policies),
      },
      "refund-fee": { value: "N", does: "a sum for each refund that is made" },
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
    does: "rules of fees, the newest first; those to come as well",
    about: ownersSettings,
    options: {
      "client-id": { value: "ID", does: "those of this merchant, and everybody's" },
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
    does: "what a payment of a merchant costs, and by which rule",
    about: `Of a payment that was made, \`tollgate payment show\` has the rule and what was booked. ${ownersSettings}`,
    options: {
      "client-id": { value: "ID", does: "the merchant", isRequired: true },
      currency: { value: "CODE", does: "the payment's currency", isRequired: true },
      method: { value: "METHOD", does: "its payment method, as in `pay`" },
      at: {
        value: "TIME",
        does: "when it is created: ISO 8601 with a zone, or how long ago, 24h or 7d; now, when it is absent",
      },
      amount: { value: "N", does: "how much is paid, in the smallest unit, to see what it comes to" },
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
    acts: true,
    does: "what a wallet should keep of what it takes for us, from a day on",
    about: `By its contract. It moves no money: the fees in the wallet's files are compared with it. ${ownersSettings}`,
    options: {
      connector: { value: "NAME", does: "the wallet", isRequired: true },
      rate: { value: "PERCENT", does: "part of what is paid, in per cent", isRequired: true },
      from: { value: "DAY", does: "the first day, from midnight of UTC+8 on", isRequired: true },
      ...scopeOptions,
      fixed: { value: "N", does: "a sum for each payment, in the smallest unit" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost set --connector gcash --rate 1.2 --from 2026-12-01"],
    run: async (given) => {
      const { setWalletCost, walletCostTable } = await costs();
      const cost = await setWalletCost(operatorOf(given), {
        ...scopeOf(given),
        connector: required(given, "connector"),
        from: required(given, "from"),
        rateMillionths: millionths(given, "rate", 100) ?? 0n,
        fixedMinor: sum(given, "fixed") ?? 0n,
      });
      show(given, cost, walletCostTable([cost]));
    },
  },
  "fee cost list": {
    needs: "support",
    does: "what wallets should keep, the newest first",
    about: ownersSettings,
    options: { connector: { value: "NAME", does: "this wallet alone" }, ...operatorOptions, ...jsonOption },
    examples: ["tollgate fee cost list"],
    run: async (given) => {
      const { findWalletCosts, walletCostTable } = await costs();
      const found = await findWalletCosts(operatorOf(given), given.value("connector"));
      show(given, found, walletCostTable(found));
    },
  },
  "fee cost compare": {
    needs: "support",
    does: "what wallets should have kept of a day, beside what their files say",
    about:
      "Exit code 1 says that they differ by more than a smallest unit for each payment, or that there are payments without a contract.\n" +
      ownersSettings,
    options: {
      day: { value: "DAY", does: "a day of the books, which ends at midnight of UTC+8", isRequired: true },
      connector: { value: "NAME", does: "this wallet alone" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fee cost compare --day 2026-12-01"],
    run: async (given) => {
      const { compareWalletCosts, comparedCostTable } = await costs();
      const asked = { connector: given.value("connector"), day: required(given, "day") };
      const compared = await compareWalletCosts(operatorOf(given), asked);
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

/** Per cent with up to four digits behind the point, in millionths: no float has a part in it. */
export function millionths(given: Given, option: string, most: number): bigint | undefined {
  const text = given.value(option);
  if (text === undefined) return undefined;
  const [, whole = "", part = ""] = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const value = BigInt(whole) * 10_000n + BigInt(part.padEnd(4, "0"));
  if (whole !== "" && value <= BigInt(most) * 10_000n) return value;
  throw new UsageError(
    `--${option} is in per cent, up to ${most}, with at most four digits behind the point: 2.9.`,
  );
}

const mostMinor = 1_000_000_000_000;

function sum(given: Given, option: string): bigint | undefined {
  const minor = wholeNumber(given, option, [0, mostMinor]);
  return minor === undefined ? undefined : BigInt(minor);
}
