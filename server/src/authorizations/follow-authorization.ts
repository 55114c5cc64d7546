import { done, type HeldJob, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import type { AuthorizationReport, NewAuthorization } from "../wallets/wallet.ts";
import { findAuthorization, lockAuthorization } from "./authorization.sql.ts";
import {
  decideAuthorization,
  followStep,
  isPastGrace,
  nextAuthorizationLookAt,
  retryAuthorizationAt,
  type Authorization,
} from "./authorization.ts";
import { recordAuthorization } from "./record-authorization.sql.ts";

/** The wallet's report; undefined when it was not asked. */
interface Asked {
  readonly report: AuthorizationReport | undefined;
}

/** Drives an authorization from consent to its end: sends, polls, expires and revokes it. */
export function followAuthorization(driver: PaymentDriver): Job<Authorization, Asked> {
  return {
    name: "follow-authorization",
    lane: "wallets",

    async read(tx, held) {
      const { bucket, clientId, subjectId } = held;
      const authorization = await findAuthorization(tx, { bucket, clientId }, subjectId);
      const { now } = driver.context(held);
      return authorization && followStep(authorization, now) !== "nothing" ? authorization : undefined;
    },

    async call(authorization, held, signal) {
      const { now } = driver.context(held);
      try {
        return { report: await ask(driver, authorization, held, signal) };
      } catch (cause) {
        // An unreachable or removed wallet does not keep an expired consent page open.
        if (authorization.status === "ASKED" && isPastGrace(authorization.expiresAt, now))
          return { report: undefined };
        throw cause;
      }
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockAuthorization(tx, { bucket, clientId }, subjectId),

    async settle(tx, locked, { report }, held) {
      const context = driver.context(held);
      const decision = decideAuthorization(locked, report, context.now);
      const authorization = await recordAuthorization(tx, locked, decision, context);
      if (followStep(authorization, context.now) === "nothing") return done;
      const gotNowhere = decision.kind === "nothing";
      const at = nextAuthorizationLookAt(authorization, gotNowhere ? held.attempts : 0, context.now);
      return { next: "again", at, gotNowhere };
    },

    retryAt: ({ attempts }, now) => retryAuthorizationAt(attempts, now),
  };
}

async function ask(
  driver: PaymentDriver,
  authorization: Authorization,
  held: HeldJob,
  signal: AbortSignal,
): Promise<AuthorizationReport | undefined> {
  const step = followStep(authorization, driver.context(held).now);
  if (step === "wait" || step === "nothing") return undefined;
  const wallet = await driver.walletOf(authorization.wallet);
  const { reference } = authorization;
  if (step === "revoke") return wallet.revoke(reference, signal);
  if (step === "ask") return wallet.inquireAuthorization(reference, signal);
  return wallet.authorize(await consentOf(driver, authorization, held), signal);
}

async function consentOf(
  driver: PaymentDriver,
  { reference, clientId, authorizationId, scopes, authState, redirectUrl, expiresAt }: Authorization,
  { aheadMs }: HeldJob,
): Promise<NewAuthorization> {
  return {
    reference,
    clientId,
    authorizationId,
    merchantName: await driver.merchantName(clientId),
    scopes,
    authState,
    redirectUrl,
    // The merchant's test clock may be ahead; the wallet's is not.
    expiresAt: new Date(expiresAt.getTime() - aheadMs),
  };
}
