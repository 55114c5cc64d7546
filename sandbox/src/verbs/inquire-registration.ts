import { registrationOnTheWire } from "../wallet/registration.ts";
import { isName, malformed, type Verb } from "./verb.ts";

/** Returns the state of a registration. */
export const inquireRegistration: Verb = {
  name: "inquire-registration",
  folder: "registrations",
  act(wallet, { reference }) {
    if (!isName(reference)) return malformed("reference");
    const registration = wallet.book.registration(reference);
    if (!registration) return { code: "RECORD_NOT_FOUND" };
    return { code: "SUCCESS", fields: { registration: registrationOnTheWire(registration) } };
  },
};
