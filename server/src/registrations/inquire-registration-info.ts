import { Type, type Static } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { Digits, Text } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { MerchantInfo, ProductCodes, StoreInfo } from "./registration-details.schema.ts";
import { findLatestRegistration } from "./registration.sql.ts";
import type { Registration } from "./registration.ts";

export const inquireRegistrationInfo = inquiry({
  path: "merchants/inquiryRegistrationInfo",
  summary: "Returns the details with which a merchant or a store is registered.",
  description:
    "The details are those of the newest registration that a payment provider has accepted. Registrations " +
    "that are in progress or rejected do not count.",

  request: Type.Object({
    referenceMerchantId: Digits(Text(64, "Your own id of the merchant.")),
    referenceStoreId: Type.Optional(Digits(Text(32, "Your own id of the store."))),
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

  async find(call, merchantOrStore) {
    const latest = await findLatestRegistration(call.tx, call, merchantOrStore, { accepted: true });
    return latest ?? refuse("RECORD_NOT_FOUND");
  },

  answer({ productCodes, merchantInfo, storeInfo }: Registration) {
    return {
      code: "SUCCESS",
      productCodes: [...productCodes],
      // The details are stored as the merchant sent them: the schema validated them at that time.
      merchantInfo: merchantInfo as Static<typeof MerchantInfo>,
      ...(storeInfo && { storeInfo: storeInfo as Static<typeof StoreInfo> }),
    };
  },
});
