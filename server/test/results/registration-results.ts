import type { ResultProducers } from "./pay-results.ts";
import type { ResultEnvironment } from "./result-environment.ts";

const path = "merchants/registration";

function storeRequest(registrationRequestId: string, store: string, storeName = "Coffee Lab"): object {
  return {
    registrationRequestId,
    productCodes: ["IN_STORE_PAYMENT"],
    merchantInfo: {
      referenceMerchantId: "coffee-lab",
      merchantMCC: "5814",
      merchantDisplayName: "Coffee Lab",
    },
    storeInfo: { referenceStoreId: store, storeName },
  };
}

/** A store that all providers have accepted. */
async function registerStore(
  environment: ResultEnvironment,
): Promise<{ readonly store: string; readonly id: string }> {
  const [store, id] = [environment.newName("store"), environment.newName("registration")];
  await environment.codeOf(path, storeRequest(id, store));
  await environment.untilRegistered(id);
  return { store, id };
}

export const registrationResults: ResultProducers = {
  SUCCESS: (environment) =>
    environment.codeOf(path, storeRequest(environment.newName("registration"), environment.newName("store"))),
  REPEAT_REGISTRATION: async (environment) => {
    const { store } = await registerStore(environment);
    return environment.codeOf(path, storeRequest(environment.newName("registration"), store));
  },
  REPEAT_REQ_INCONSISTENT: async (environment) => {
    const [store, id] = [environment.newName("store"), environment.newName("registration")];
    await environment.codeOf(path, storeRequest(id, store));
    return environment.codeOf(path, storeRequest(id, store, "Tea Lab"));
  },
  ABNORMAL_REGISTRATION_STATUS: async (environment) => {
    const [store, id] = [environment.newName("store"), environment.newName("registration")];
    await environment.provider.registration(id, "hold");
    await environment.codeOf(path, storeRequest(id, store));
    return environment.codeOf(path, storeRequest(environment.newName("registration"), store));
  },
};

export const registrationInquiryResults: Readonly<Record<string, ResultProducers>> = {
  "merchants/inquiryRegistrationStatus": {
    SUCCESS: async (environment) => {
      const { id: registrationRequestId } = await registerStore(environment);
      return environment.codeOf("merchants/inquiryRegistrationStatus", { registrationRequestId });
    },
    RECORD_NOT_FOUND: (environment) =>
      environment.codeOf("merchants/inquiryRegistrationStatus", { registrationRequestId: "never-sent" }),
  },
  "merchants/inquiryRegistrationInfo": {
    SUCCESS: async (environment) => {
      const { store: referenceStoreId } = await registerStore(environment);
      const inquiry = { referenceMerchantId: "coffee-lab", referenceStoreId };
      return environment.codeOf("merchants/inquiryRegistrationInfo", inquiry);
    },
    RECORD_NOT_FOUND: (environment) =>
      environment.codeOf("merchants/inquiryRegistrationInfo", { referenceMerchantId: "nobody" }),
  },
};
