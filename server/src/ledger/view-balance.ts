import { Type } from "typebox";
import { view } from "../contract/view.ts";
import { Balance, balanceExample, toBalance } from "./merchant-balance.schema.ts";
import type { MerchantBalance } from "./merchant-balance.ts";
import { listMerchantBalances } from "./reserve.sql.ts";

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
    return { merchantBalances: await listMerchantBalances(tx, { bucket, clientId }) };
  },

  answer({ merchantBalances }: { readonly merchantBalances: readonly MerchantBalance[] }) {
    return { code: "SUCCESS", balances: merchantBalances.map(toBalance) };
  },
});
