import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Balance, balanceExample, toBalance } from "./holding.schema.ts";
import type { Holding } from "./holding.ts";
import { listHoldings } from "./reserve.sql.ts";

export const inquireBalance = inquiry({
  path: "tollgate/inquiryBalance",
  summary: "Shows what we owe you in each currency, and what of it is spoken for.",
  description:
    "As the ledger has it at this moment. All sums are whole numbers of the currency's smallest unit, as text, and may be below zero.",

  request: Type.Object({}),
  response: Type.Object({
    balances: Type.Array(Balance, { description: "One for each currency that you have taken." }),
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
