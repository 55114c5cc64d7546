import assert from "node:assert/strict";
import { decideByPlan } from "../wallet/decide-registration.ts";
import type { CallOutcome } from "../wallet/effect.ts";
import { hashOfContent, registrationOnTheWire, type Registration } from "../wallet/registration.ts";
import type { Answer } from "../wallet/result.ts";
import { newRandomId } from "../wallet/wallet.ts";
import { isReference, malformed, callRecord, type Fields, type Verb } from "./verb.ts";

/** Registers a merchant, or a store of a merchant. Idempotent by reference. The decision follows at once, or later. */
export const register: Verb = {
  name: "register",
  folder: "registrations",
  act(wallet, fields) {
    const log = (outcome: CallOutcome): void => wallet.record(callRecord("register", fields, outcome));
    const request = readRegistration(fields);
    if (typeof request === "string") {
      log("malformed");
      return malformed(request);
    }
    const { reference, registrationRequestId, contentHash } = request;
    const earlier = wallet.projection.registration(reference);
    if (earlier) {
      const isSame = earlier.contentHash === contentHash;
      log(isSame ? "repeated" : "inconsistent");
      if (!isSame) return { code: "REPEAT_REQ_INCONSISTENT" };
      // Crash recovery: a repeated request decides a pending registration, because the process may have stopped before
      // the decision.
      return registrationAnswer(earlier.state === "PROCESSING" ? decideByPlan(wallet, earlier) : earlier);
    }
    const newRegistration = {
      registrationRequestId,
      providerRegistrationId: newRandomId("wg_"),
      contentHash,
    };
    wallet.record({ ...callRecord("register", fields, "opened"), registration: newRegistration });
    const registration = wallet.projection.registration(reference);
    assert(registration, "a registration that was recorded is in the projection");
    return registrationAnswer(decideByPlan(wallet, registration));
  },
};

/** Reads a registration; returns an error message about the first invalid field. */
function readRegistration(
  fields: Fields,
): Pick<Registration, "reference" | "registrationRequestId" | "contentHash"> | string {
  const { reference, registrationRequestId, productCodes, merchant, store } = fields;
  if (!isReference(reference)) return "reference";
  if (!isReference(registrationRequestId)) return "registrationRequestId";
  if (!Array.isArray(productCodes) || productCodes.length === 0 || !productCodes.every(isReference))
    return "productCodes";
  if (!isObject(merchant)) return "merchant";
  if (store !== undefined && !isObject(store)) return "store";
  const contentHash = hashOfContent({ registrationRequestId, productCodes, merchant, store });
  return { reference, registrationRequestId, contentHash };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function registrationAnswer(registration: Registration): Answer {
  return { code: "SUCCESS", fields: { registration: registrationOnTheWire(registration) } };
}
