import { backOff } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import type { RegistrationReport } from "../providers/provider.ts";
import { decideRegistration } from "./decide-registration.ts";
import { recordRegistration } from "./record-registration.tx.ts";
import { findRegistration, lockRegistration } from "./registration.sql.ts";
import {
  registrationBackoff,
  registrationStatusOf,
  type Registration,
  type ProviderRegistration,
} from "./registration.ts";

type Reports = ReadonlyMap<string, RegistrationReport>;

/** The job that sends a registration to the providers, and polls each provider until it has decided. */
export function sendRegistration(driver: ProviderDriver): Job<Registration, Reports> {
  async function requestReport(
    registration: Registration,
    { connector, reference, acceptedAt }: ProviderRegistration,
    signal: AbortSignal,
  ): Promise<[string, RegistrationReport]> {
    const provider = await driver.providerOf(connector);
    const { registrationRequestId, productCodes, merchantInfo: merchant, storeInfo: store } = registration;
    const { passThroughInfo } = registration;
    const details = { registrationRequestId, productCodes, merchant, store, passThroughInfo };
    const inquired = acceptedAt && (await provider.inquireRegistration(reference, signal));
    // A provider without this inquiry returns the state of the registration in its response to a repeated `register`.
    const isReported = inquired && inquired.state !== "NO_QUERY";
    return [connector, isReported ? inquired : await provider.register({ reference, ...details }, signal)];
  }

  return {
    loop: "providers",

    // The job is deleted once every provider has decided, or if there is no provider.
    read: (tx, { bucket, clientId, subjectId }) => findRegistration(tx, { bucket, clientId }, subjectId),

    async call(registration, _leased, signal) {
      const open = registration.providers.filter(({ status }) => status === "PROCESSING");
      const outcomes = await Promise.allSettled(
        open.map((each) => requestReport(registration, each, signal)),
      );
      const reports = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      // A failing provider does not delay the other providers; if all fail, the job retries.
      const failure = outcomes.find((each) => each.status === "rejected");
      if (failure && reports.length === 0) throw failure.reason;
      return new Map(reports);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRegistration(tx, { bucket, clientId }, subjectId),

    async write(tx, registration, reports, leased) {
      const context = driver.context(leased);
      const open = registration.providers.filter(({ status }) => status === "PROCESSING");
      const decisions = new Map(
        open.map((each) => [each.connector, decideRegistration(each, reports.get(each.connector))]),
      );
      const changed = recordRegistration(tx, registration, decisions, context);
      if (registrationStatusOf(changed) !== "PROCESSING") return jobDone;
      const noProgress = [...decisions.values()].every(({ kind }) => kind === "nothing" || kind === "lost");
      const attempts = noProgress ? leased.attempts : 0;
      return { next: "again", at: backOff(registrationBackoff, attempts, context.now), noProgress };
    },

    retryAt: ({ attempts }, now) => backOff(registrationBackoff, attempts, now),
  };
}
