import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { Balance, balanceExample, toBalance } from "./merchant-balance.schema.ts";
import type { MerchantBalance } from "./merchant-balance.ts";
import { listMerchantBalances } from "./reserve.sql.ts";

export const inquireBalance = inquiry({
  path: "tollgate/inquiryBalance",
  summary: "Returns your balance in each currency, and its reserved parts.",
  description:
    "The ledger's state at the time of the request. All amounts are integers in minor units, as text, and " +
    "can be negative.",

  request: Type.Object({}),
  response: Type.Object({
    balances: Type.Array(Balance, { description: "One balance for each of your currencies." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: { request: {}, response: { balances: [balanceExample] } },

  async find({ tx, bucket, clientId }) {
    return { merchantBalances: await listMerchantBalances(tx, { bucket, clientId }) };
  },

  answer({ merchantBalances }: { readonly merchantBalances: readonly MerchantBalance[] }) {
    return { code: "SUCCESS", balances: merchantBalances.map(toBalance) };
  },
});
