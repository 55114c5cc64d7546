import { Type } from "typebox";
import { forms } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { listBalances } from "./balance.sql.ts";
import { listReserves } from "./reserve.sql.ts";
import { frozenOf, payable } from "./transfer.ts";

/** What a merchant has in one currency, in minor units. */
interface Holding {
  readonly currency: string;
  readonly owedMinor: bigint;
  readonly openRefundsMinor: bigint;
  readonly frozenMinor: bigint;
}

const Sum = (description: string) =>
  Type.String({ pattern: "^-?[0-9]{1,38}$", description, "x-digits": true });

export const viewBalance = view({
  name: "balance",
  summary: "Shows what we owe the merchant in each currency, and what of it is spoken for.",
  description: "All sums are whole numbers of the currency's smallest unit.",
  right: "balance.read",

  request: Type.Object({}),
  response: Type.Object({
    balances: Type.Array(
      Type.Object(
        {
          currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
          owed: Sum("What we owe you; below zero, what you owe us."),
          openRefunds: Sum("What refunds under way will take of it."),
          available: Sum("What new refunds can take of it: owed, less open refunds."),
          frozen: Sum("What is kept back beside it for as long as it is disputed."),
        },
        { title: "Balance", description: "What you have in one currency." },
      ),
      { description: "One for each currency that you have taken." },
    ),
  }),
  results: ["SUCCESS"],

  example: {
    request: {},
    response: {
      balances: [{ currency: "EUR", owed: "125000", openRefunds: "350", available: "124650", frozen: "0" }],
    },
  },

  async find({ tx, bucket, clientId }) {
    const key = { bucket, clientId };
    const accounts = { owed: payable(clientId), frozen: frozenOf(clientId) };
    const [balances, open] = await Promise.all([
      listBalances(tx, key, Object.values(accounts)),
      listReserves(tx, key),
    ]);
    // Both accounts are what we owe: they stand on the credit side.
    const creditOf = (account: string, of: string): bigint =>
      -(balances.find((each) => each.account === account && each.currency === of)?.minor ?? 0n);
    const currencies = [...new Set([...balances.map(({ currency }) => currency), ...open.keys()])];
    const holdings: readonly Holding[] = currencies.toSorted().map((currency) => ({
      currency,
      owedMinor: creditOf(accounts.owed, currency),
      openRefundsMinor: open.get(currency) ?? 0n,
      frozenMinor: creditOf(accounts.frozen, currency),
    }));
    return { holdings };
  },

  answer({ holdings }: { readonly holdings: readonly Holding[] }) {
    const balances = holdings.map(({ currency, owedMinor, openRefundsMinor, frozenMinor }) => ({
      currency,
      owed: String(owedMinor),
      openRefunds: String(openRefundsMinor),
      available: String(owedMinor - openRefundsMinor),
      frozen: String(frozenMinor),
    }));
    return { code: "SUCCESS", balances };
  },
});
