import { Type } from "typebox";
import { view } from "../api/view.ts";
import { Balance, balanceExample, toBalance } from "./holding.schema.ts";
import type { Holding } from "./holding.ts";
import { listHoldings } from "./reserve.sql.ts";

export const viewBalance = view({
  name: "balance",
  summary: "Shows what we owe the merchant in each currency, and what of it is spoken for.",
  description: "All sums are whole numbers of the currency's smallest unit.",
  right: "balance.read",

  request: Type.Object({}),
  response: Type.Object({
    balances: Type.Array(Balance, { description: "One for each currency that you have taken." }),
  }),
  results: ["SUCCESS"],

  example: { request: {}, response: { balances: [balanceExample] } },

  async find({ tx, bucket, clientId }) {
    return { holdings: await listHoldings(tx, { bucket, clientId }) };
  },

  answer({ holdings }: { readonly holdings: readonly Holding[] }) {
    return { code: "SUCCESS", balances: holdings.map(toBalance) };
  },
});
