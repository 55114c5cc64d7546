import { Type, type Static } from "typebox";
import { inquiry } from "../api/operation.ts";
import { Digits, Text } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { MerchantInfo, ProductCodes, StoreInfo } from "./registration-details.schema.ts";
import { findLatestRegistration } from "./registration.sql.ts";
import type { Registration } from "./registration.ts";

export const inquireRegistrationInfo = inquiry({
  path: "merchants/inquiryRegistrationInfo",
  summary: "Tells the details under which a merchant or a store is registered.",
  description:
    "Those of the newest registration that a wallet has accepted: what is still under way, or was rejected, does not count.",

  request: Type.Object({
    referenceMerchantId: Digits(Text(64, "Your own name for the merchant.")),
    referenceStoreId: Type.Optional(Digits(Text(32, "Your own name for the store."))),
  }),
  response: Type.Object({
    productCodes: ProductCodes,
    merchantInfo: MerchantInfo,
    storeInfo: Type.Optional(StoreInfo),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "RECORD_NOT_FOUND"],
  inStore: true,

  example: {
    request: { referenceMerchantId: "coffee-lab", referenceStoreId: "harbour" },
    response: {
      productCodes: ["IN_STORE_PAYMENT"],
      merchantInfo: { referenceMerchantId: "coffee-lab", merchantMCC: "5814" },
      storeInfo: { referenceStoreId: "harbour", storeName: "Coffee Lab, Harbour" },
    },
  },

  async find(call, asked) {
    const latest = await findLatestRegistration(call.tx, call, asked, { accepted: true });
    return latest ?? refuse("RECORD_NOT_FOUND");
  },

  answer({ productCodes, merchantInfo, storeInfo }: Registration) {
    return {
      code: "SUCCESS",
      productCodes: [...productCodes],
      // Stored as the merchant sent it: the schema validated it then.
      merchantInfo: merchantInfo as Static<typeof MerchantInfo>,
      ...(storeInfo && { storeInfo: storeInfo as Static<typeof StoreInfo> }),
    };
  },
});
