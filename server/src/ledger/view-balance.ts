import { Type } from "typebox";
import { view } from "../contract/view.ts";
import { Balance, balanceExample, toBalance } from "./holding.schema.ts";
import type { Holding } from "./holding.ts";
import { listHoldings } from "./reserve.sql.ts";

export const viewBalance = view({
  name: "balance",
  summary: "Returns the merchant's balance in each currency, and its reserved parts.",
  description: "All amounts are integers in minor units.",
  permission: "balance.read",

  request: Type.Object({}),
  response: Type.Object({
    balances: Type.Array(Balance, { description: "One balance for each of your currencies." }),
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
