import { registrationOnTheWire } from "../wallet/registration.ts";
import { isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a registration. */
export const inquireRegistration: Verb = {
  name: "inquire-registration",
  folder: "registrations",
  act(wallet, { reference }) {
    if (!isReference(reference)) return malformed("reference");
    const registration = wallet.projection.registration(reference);
    if (!registration) return { code: "RECORD_NOT_FOUND" };
    return { code: "SUCCESS", fields: { registration: registrationOnTheWire(registration) } };
  },
};
