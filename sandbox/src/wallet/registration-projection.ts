import assert from "node:assert/strict";
import type { Line, RegistrationPlanned } from "./effect.ts";
import type { Registration } from "./registration.ts";

/** The wallet's registrations, derived only from the lines of its journal. */
export interface RegistrationProjection {
  apply(line: Line): void;
  registration(reference: string): Registration | undefined;
  /** Returns the registration with this reference, or the newest one with this request id. */
  registrationNamed(name: string): Registration | undefined;
  /** The decision that control has planned before the registration arrives; the last one counts. */
  plannedVerdict(...names: readonly string[]): RegistrationPlanned | undefined;
}

export function newRegistrationProjection(): RegistrationProjection {
  const registrations = new Map<string, Registration>();
  const referencesByRequest = new Map<string, string>();
  const planned = new Map<string, RegistrationPlanned>();

  function apply(line: Line): void {
    if (line.kind === "register" && line.registration) {
      const { reference, registration } = line;
      assert(reference, "a registration that was opened has a reference");
      registrations.set(reference, { ...registration, reference, state: "PROCESSING" });
      referencesByRequest.set(registration.registrationRequestId, reference);
    }
    if (line.kind === "registration-planned") planned.set(line.name, line);
    if (line.kind === "registration-decided") {
      const { reference, state, rejectReasons } = line;
      const registration = registrations.get(reference);
      assert(registration, `no registration ${reference}`);
      registrations.set(reference, { ...registration, state, ...(rejectReasons && { rejectReasons }) });
    }
  }

  const registration = (reference: string): Registration | undefined => registrations.get(reference);
  return {
    apply,
    registration,
    registrationNamed: (name) => registration(name) ?? registration(referencesByRequest.get(name) ?? ""),
    plannedVerdict: (...names) => names.map((name) => planned.get(name)).find((plan) => plan !== undefined),
  };
}
