import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { described, Digits, Id, Text } from "../api/schemas.ts";
import { refuse } from "../core/result.ts";
import { ToldResult } from "./registration-details.schema.ts";
import { findLatestRegistration, findRegistrationByRequest } from "./registration.sql.ts";
import { toldResult, type Registration } from "./registration.ts";

export const inquireRegistrationStatus = inquiry({
  path: "merchants/inquiryRegistrationStatus",
  summary: "Tells where the registration of a merchant or a store stands.",
  description:
    "By `registrationRequestId`: that request. By `referenceMerchantId`, with or without `referenceStoreId`: the " +
    "newest one. `registrationResult` is the whole, `pspRegistrationResultList` says it wallet by wallet; a wallet that " +
    "registers nobody is not in it.",

  request: Type.Object({
    registrationRequestId: Type.Optional(described(Id, "Your own name for the registration.")),
    referenceMerchantId: Type.Optional(Digits(Text(64, "Your own name for the merchant."))),
    referenceStoreId: Type.Optional(Digits(Text(32, "Your own name for the store."))),
  }),
  response: Type.Object(ToldResult),
  results: ["SUCCESS", "PARAM_ILLEGAL", "RECORD_NOT_FOUND"],
  inStore: true,

  example: {
    request: { registrationRequestId: "store-harbour-1" },
    response: {
      registrationResult: { registrationStatus: "COMPLETED" },
      pspRegistrationResultList: [
        { pspName: "gcash", registrationResult: { registrationStatus: "APPROVED" } },
        {
          pspName: "dana",
          registrationResult: { registrationStatus: "REJECTED", rejectReasons: ["The logo is missing."] },
        },
      ],
    },
  },

  async find(call, { registrationRequestId, referenceMerchantId, referenceStoreId }) {
    if (registrationRequestId !== undefined) {
      const found = await findRegistrationByRequest(call.tx, call, registrationRequestId);
      const isMeant =
        (referenceMerchantId ?? found?.referenceMerchantId) === found?.referenceMerchantId &&
        (referenceStoreId ?? found?.referenceStoreId) === found?.referenceStoreId;
      return found && isMeant ? found : refuse("RECORD_NOT_FOUND");
    }
    if (referenceMerchantId === undefined)
      return refuse("PARAM_ILLEGAL", {
        field: "registrationRequestId",
        detail: "Give registrationRequestId or referenceMerchantId.",
      });
    const asked = { referenceMerchantId, referenceStoreId };
    const latest = await findLatestRegistration(call.tx, call, asked, { accepted: false });
    return latest ?? refuse("RECORD_NOT_FOUND");
  },

  answer(registration: Registration) {
    return { code: "SUCCESS", ...toldResult(registration) };
  },
});
