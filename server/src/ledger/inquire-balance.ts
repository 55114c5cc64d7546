import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { Balance, balanceExample, toBalance } from "./holding.schema.ts";
import type { Holding } from "./holding.ts";
import { listHoldings } from "./reserve.sql.ts";

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
    return { holdings: await listHoldings(tx, { bucket, clientId }) };
  },

  answer({ holdings }: { readonly holdings: readonly Holding[] }) {
    return { code: "SUCCESS", balances: holdings.map(toBalance) };
  },
});
