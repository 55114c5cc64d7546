import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import { registrationNotificationBody } from "./registration-notification.ts";
import {
  updateRegistrationAccepted,
  updateRegistrationDecided,
  updateRegistrationSequence,
} from "./registration.sql.ts";
import type { RegistrationDecision } from "./decide-registration.ts";
import type { Registration, ProviderRegistration } from "./registration.ts";

/**
 * `recordRegistration` records providers' decisions on a registration that the caller's transaction has locked, and
 * inserts the merchant's webhook (outbox). It returns the changed registration.
 */
export function recordRegistration(
  tx: Tx,
  registration: Registration,
  decisions: ReadonlyMap<string, RegistrationDecision>,
  context: RecordingContext,
): Registration {
  const providers = registration.providers.map((each) => {
    const decision = decisions.get(each.connector) ?? { kind: "nothing" };
    return recordDecision(tx, registration, { each, decision, now: context.now });
  });
  const isDecided = [...decisions.values()].some(({ kind }) => kind === "decided");
  // If no connector needs the registration, it is final immediately.
  if (!isDecided && providers.length > 0) return { ...registration, providers };

  const changed = { ...registration, providers, sequence: registration.sequence + 1 };
  updateRegistrationSequence(tx, changed);
  const { bucket, clientId, registrationId: subjectId, sequence, notifyUrl: url } = changed;
  const body = registrationNotificationBody(changed);
  const kind = "notifyRegistrationStatus";
  notifyMerchant(tx, { bucket, clientId, kind, subjectId, sequence, url, body }, context);
  return changed;
}

interface DecisionContext {
  readonly each: ProviderRegistration;
  readonly decision: RegistrationDecision;
  readonly now: Date;
}

function recordDecision(
  tx: Tx,
  registration: Registration,
  { each, decision, now }: DecisionContext,
): ProviderRegistration {
  switch (decision.kind) {
    case "nothing":
      return each;
    case "accepted":
    case "lost": {
      const acceptedAt = decision.kind === "accepted" ? now : undefined;
      updateRegistrationAccepted(tx, registration, each.connector, acceptedAt);
      return { ...each, acceptedAt };
    }
    case "decided": {
      const { status, rejectReasons, providerRegistrationId } = decision;
      const decided = { ...each, status, rejectReasons, providerRegistrationId };
      updateRegistrationDecided(tx, registration, decided, now);
      return decided;
    }
  }
}
