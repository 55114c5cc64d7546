import type { Produced } from "./pay-results.ts";
import type { ResultWorld } from "./world.ts";

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
async function registered(world: ResultWorld): Promise<{ readonly store: string; readonly id: string }> {
  const [store, id] = [world.newName("store"), world.newName("registration")];
  await world.codeOf(path, storeRequest(id, store));
  await world.untilRegistered(id);
  return { store, id };
}

export const registrationResults: Produced = {
  SUCCESS: (world) => world.codeOf(path, storeRequest(world.newName("registration"), world.newName("store"))),
  REPEAT_REGISTRATION: async (world) => {
    const { store } = await registered(world);
    return world.codeOf(path, storeRequest(world.newName("registration"), store));
  },
  REPEAT_REQ_INCONSISTENT: async (world) => {
    const [store, id] = [world.newName("store"), world.newName("registration")];
    await world.codeOf(path, storeRequest(id, store));
    return world.codeOf(path, storeRequest(id, store, "Tea Lab"));
  },
  ABNORMAL_REGISTRATION_STATUS: async (world) => {
    const [store, id] = [world.newName("store"), world.newName("registration")];
    await world.provider.registration(id, "hold");
    await world.codeOf(path, storeRequest(id, store));
    return world.codeOf(path, storeRequest(world.newName("registration"), store));
  },
};

export const registrationInquiryResults: Readonly<Record<string, Produced>> = {
  "merchants/inquiryRegistrationStatus": {
    SUCCESS: async (world) => {
      const { id: registrationRequestId } = await registered(world);
      return world.codeOf("merchants/inquiryRegistrationStatus", { registrationRequestId });
    },
    RECORD_NOT_FOUND: (world) =>
      world.codeOf("merchants/inquiryRegistrationStatus", { registrationRequestId: "never-sent" }),
  },
  "merchants/inquiryRegistrationInfo": {
    SUCCESS: async (world) => {
      const { store: referenceStoreId } = await registered(world);
      const asked = { referenceMerchantId: "coffee-lab", referenceStoreId };
      return world.codeOf("merchants/inquiryRegistrationInfo", asked);
    },
    RECORD_NOT_FOUND: (world) =>
      world.codeOf("merchants/inquiryRegistrationInfo", { referenceMerchantId: "nobody" }),
  },
};
