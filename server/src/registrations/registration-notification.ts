import { registrationOutcome, type Registration } from "./registration.ts";

/**
 * `registrationNotificationBody` returns the body of `notifyRegistrationStatus`. The bytes are stored, so that each
 * delivery attempt sends the same body.
 */
export function registrationNotificationBody(registration: Registration): Buffer {
  const { referenceMerchantId, registrationRequestId, referenceStoreId, sequence } = registration;
  const body = {
    referenceMerchantId,
    registrationRequestId,
    ...(referenceStoreId && { referenceStoreId }),
    ...registrationOutcome(registration),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}
