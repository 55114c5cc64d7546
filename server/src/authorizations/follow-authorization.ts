import { retryAt } from "../resilience/backoff.ts";
import { jobDone, type LeasedJob, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import type { AuthorizationReport, NewAuthorization } from "../providers/provider.ts";
import { findAuthorization, lockAuthorization } from "./authorization.sql.ts";
import { nextFollowStep, isPastGrace, nextAuthorizationPollAt, type Authorization } from "./authorization.ts";
import { decideAuthorization } from "./decide-authorization.ts";
import { recordAuthorization } from "./record-authorization.tx.ts";

/** The provider's report; undefined if the job sent no request. */
interface FollowOutcome {
  readonly report: AuthorizationReport | undefined;
}

/** The job that drives an authorization from the consent to its end: it sends, polls, expires and revokes it. */
export function followAuthorization(driver: ProviderDriver): Job<Authorization, FollowOutcome> {
  return {
    loop: "providers",

    async read(tx, leased) {
      const { bucket, clientId, subjectId } = leased;
      const authorization = await findAuthorization(tx, { bucket, clientId }, subjectId);
      const { now } = driver.context(leased);
      return authorization && nextFollowStep(authorization, now) !== "nothing" ? authorization : undefined;
    },

    async call(authorization, leased, signal) {
      const { now } = driver.context(leased);
      try {
        return { report: await callProvider(driver, authorization, leased, signal) };
      } catch (cause) {
        // An expired consent page closes even if the provider is unreachable or was removed.
        if (authorization.status === "ASKED" && isPastGrace(authorization.expiresAt, now))
          return { report: undefined };
        throw cause;
      }
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockAuthorization(tx, { bucket, clientId }, subjectId),

    async write(tx, locked, { report }, leased) {
      const context = driver.context(leased);
      const decision = decideAuthorization(locked, report, context.now);
      const authorization = await recordAuthorization(tx, locked, decision, context);
      if (nextFollowStep(authorization, context.now) === "nothing") return jobDone;
      const noProgress = decision.kind === "nothing";
      const at = nextAuthorizationPollAt(authorization, noProgress ? leased.attempts : 0, context.now);
      return { next: "again", at, noProgress };
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

async function callProvider(
  driver: ProviderDriver,
  authorization: Authorization,
  leased: LeasedJob,
  signal: AbortSignal,
): Promise<AuthorizationReport | undefined> {
  const step = nextFollowStep(authorization, driver.context(leased).now);
  if (step === "wait" || step === "nothing") return undefined;
  const provider = await driver.providerOf(authorization.connector);
  const { reference, clientId: merchantId, account } = authorization;
  const consent = { reference, owner: { merchantId, account } };
  if (step === "revoke") return provider.revoke(consent, signal);
  if (step === "ask") return provider.inquireAuthorization(consent, signal);
  return provider.authorize(await consentRequestOf(driver, authorization, leased), signal);
}

async function consentRequestOf(
  driver: ProviderDriver,
  { reference, clientId, account, authorizationId, scopes, authState, redirectUrl, expiresAt }: Authorization,
  { aheadMs }: LeasedJob,
): Promise<NewAuthorization> {
  return {
    reference,
    owner: { merchantId: clientId, account },
    authorizationId,
    merchantName: await driver.merchantName(clientId),
    scopes,
    authState,
    redirectUrl,
    // The merchant's test clock may be ahead of real time, but the provider's clock is not. So the expiry is sent in
    // real time.
    expiresAt: new Date(expiresAt.getTime() - aheadMs),
  };
}
