import { toldResult, type Registration } from "./registration.ts";

/** The body of notifyRegistrationStatus, as bytes that every attempt repeats. */
export function registrationNotificationBody(registration: Registration): Buffer {
  const { referenceMerchantId, registrationRequestId, referenceStoreId, sequence } = registration;
  const body = {
    referenceMerchantId,
    registrationRequestId,
    ...(referenceStoreId && { referenceStoreId }),
    ...toldResult(registration),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
