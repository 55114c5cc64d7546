import { tellMerchant } from "../notifications/tell-merchant.tx.ts";
import type { RecordingContext } from "../jobs/wallet-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import { registrationNotificationBody } from "./registration-notification.ts";
import {
  updateRegistrationAccepted,
  updateRegistrationDecided,
  updateRegistrationSequence,
} from "./registration.sql.ts";
import type { RegistrationDecision } from "./decide-registration.ts";
import type { Registration, WalletRegistration } from "./registration.ts";

/**
 * Records wallets' decisions on a registration that the caller's transaction has locked, and the merchant's
 * notification (outbox). Returns the registration as it is then.
 */
export function recordRegistration(
  tx: Tx,
  registration: Registration,
  decisions: ReadonlyMap<string, RegistrationDecision>,
  context: RecordingContext,
): Registration {
  const wallets = registration.wallets.map((each) => {
    const decision = decisions.get(each.connector) ?? { kind: "nothing" };
    return recordDecision(tx, registration, { each, decision, now: context.now });
  });
  const isDecided = [...decisions.values()].some(({ kind }) => kind === "decided");
  // Without any wallet the registration is final at once.
  if (!isDecided && wallets.length > 0) return { ...registration, wallets };

  const changed = { ...registration, wallets, sequence: registration.sequence + 1 };
  updateRegistrationSequence(tx, changed);
  const { bucket, clientId, registrationId: subjectId, sequence, notifyUrl: url } = changed;
  const body = registrationNotificationBody(changed);
  const kind = "notifyRegistrationStatus";
  tellMerchant(tx, { bucket, clientId, kind, subjectId, sequence, url, body }, context);
  return changed;
}

interface Decided {
  readonly each: WalletRegistration;
  readonly decision: RegistrationDecision;
  readonly now: Date;
}

function recordDecision(
  tx: Tx,
  registration: Registration,
  { each, decision, now }: Decided,
): WalletRegistration {
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
      const { status, rejectReasons } = decision;
      const decided = { ...each, status, rejectReasons };
      updateRegistrationDecided(tx, registration, decided, now);
      return decided;
    }
  }
}
