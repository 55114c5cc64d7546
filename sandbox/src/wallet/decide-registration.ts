import type { Registration } from "./registration.ts";
import type { Wallet } from "./wallet.ts";

/**
 * The decisions that the control API can make about a registration; `hold` is possible only before the registration
 * arrives.
 */
export const registrationActions = ["accept", "reject", "hold"] as const;

export type RegistrationAction = (typeof registrationActions)[number];

/** Returns the registration in its new state, undefined if it has not arrived, or an error message. */
export function decideByName(
  wallet: Wallet,
  name: string,
  action: RegistrationAction,
  rejectReasons: readonly string[],
): Registration | string | undefined {
  const registration = wallet.projection.registrationNamed(name);
  if (!registration) {
    wallet.record({
      kind: "registration-planned",
      name,
      action,
      ...(action === "reject" && { rejectReasons }),
    });
    return undefined;
  }
  if (registration.state !== "PROCESSING") return `The registration is ${registration.state}.`;
  if (action === "hold") return registration;
  return decide(wallet, registration, { action, by: "control", rejectReasons });
}

/** Decides a registration on arrival: accepts it, unless control has planned another decision. */
export function decideByPlan(wallet: Wallet, registration: Registration): Registration {
  const { reference, registrationRequestId } = registration;
  const plan = wallet.projection.plannedVerdict(reference, registrationRequestId);
  if (!plan) return decide(wallet, registration, { action: "accept", by: "wallet", rejectReasons: [] });
  const { action, rejectReasons = [] } = plan;
  return action === "hold"
    ? registration
    : decide(wallet, registration, { action, by: "control", rejectReasons });
}

interface Verdict {
  readonly action: "accept" | "reject";
  readonly by: "wallet" | "control";
  readonly rejectReasons: readonly string[];
}

function decide(
  wallet: Wallet,
  { reference, providerRegistrationId }: Registration,
  { action, by, rejectReasons }: Verdict,
): Registration {
  const named = { kind: "registration-decided", reference, providerRegistrationId, by } as const;
  wallet.record(
    action === "accept" ? { ...named, state: "APPROVED" } : { ...named, state: "REJECTED", rejectReasons },
  );
  const decided = wallet.projection.registration(reference);
  if (!decided) throw new Error(`A registration that was decided is in the projection: ${reference}`);
  return decided;
}
