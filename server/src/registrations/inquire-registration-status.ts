import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { withDescription, Digits, Id, Text } from "../contract/schemas.ts";
import { refuse } from "../core/result.ts";
import { RegistrationOutcomeFields } from "./registration-details.schema.ts";
import { findLatestRegistration, findRegistrationByRequest } from "./registration.sql.ts";
import { registrationOutcome, type Registration } from "./registration.ts";

export const inquireRegistrationStatus = inquiry({
  path: "merchants/inquiryRegistrationStatus",
  summary: "Returns the registration status of a merchant or a store.",
  description:
    "With `registrationRequestId`, finds that request. With `referenceMerchantId`, and optionally " +
    "`referenceStoreId`, finds the newest one. `registrationResult` is the overall status, and " +
    "`pspRegistrationResultList` the status at each payment provider. Providers without registration are " +
    "not in the list.",

  request: Type.Object({
    registrationRequestId: Type.Optional(withDescription(Id, "Your own id of the registration.")),
    referenceMerchantId: Type.Optional(Digits(Text(64, "Your own id of the merchant."))),
    referenceStoreId: Type.Optional(Digits(Text(32, "Your own id of the store."))),
  }),
  response: Type.Object(RegistrationOutcomeFields),
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
      const matchesRequest =
        (referenceMerchantId ?? found?.referenceMerchantId) === found?.referenceMerchantId &&
        (referenceStoreId ?? found?.referenceStoreId) === found?.referenceStoreId;
      return found && matchesRequest ? found : refuse("RECORD_NOT_FOUND");
    }
    if (referenceMerchantId === undefined)
      return refuse("PARAM_ILLEGAL", {
        field: "registrationRequestId",
        detail: "Give registrationRequestId or referenceMerchantId.",
      });
    const merchantOrStore = { referenceMerchantId, referenceStoreId };
    const latest = await findLatestRegistration(call.tx, call, merchantOrStore, { accepted: false });
    return latest ?? refuse("RECORD_NOT_FOUND");
  },

  answer(registration: Registration) {
    return { code: "SUCCESS", ...registrationOutcome(registration) };
  },
});
