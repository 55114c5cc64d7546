import { backOff } from "../core/backoff.ts";
import { done, type Job } from "../jobs/job.ts";
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import type { RegistrationReport } from "../wallets/wallet.ts";
import { decideRegistration } from "./decide-registration.ts";
import { recordRegistration } from "./record-registration.tx.ts";
import { findRegistration, lockRegistration } from "./registration.sql.ts";
import { registrationBackoff, statusOf, type Registration, type WalletRegistration } from "./registration.ts";

type Reports = ReadonlyMap<string, RegistrationReport>;

/** Sends a registration to the wallets, and polls each until it has decided. */
export function sendRegistration(driver: WalletDriver): Job<Registration, Reports> {
  async function ask(
    registration: Registration,
    { connector, reference, acceptedAt }: WalletRegistration,
    signal: AbortSignal,
  ): Promise<[string, RegistrationReport]> {
    const wallet = await driver.walletOf(connector);
    const { registrationRequestId, productCodes, merchantInfo: merchant, storeInfo: store } = registration;
    const { passThroughInfo } = registration;
    const told = { registrationRequestId, productCodes, merchant, store, passThroughInfo };
    const report = acceptedAt
      ? await wallet.inquireRegistration(reference, signal)
      : await wallet.register({ reference, ...told }, signal);
    return [connector, report];
  }

  return {
    loop: "wallets",

    // The job is deleted once every wallet has decided, or when there is none.
    read: (tx, { bucket, clientId, subjectId }) => findRegistration(tx, { bucket, clientId }, subjectId),

    async call(registration, _leased, signal) {
      const open = registration.wallets.filter(({ status }) => status === "PROCESSING");
      const asked = await Promise.allSettled(open.map((each) => ask(registration, each, signal)));
      const reports = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      // A wallet that fails does not hold up the others; if all fail, the job retries.
      const silent = asked.find((each) => each.status === "rejected");
      if (silent && reports.length === 0) throw silent.reason;
      return new Map(reports);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRegistration(tx, { bucket, clientId }, subjectId),

    async write(tx, registration, reports, leased) {
      const context = driver.context(leased);
      const open = registration.wallets.filter(({ status }) => status === "PROCESSING");
      const decisions = new Map(
        open.map((each) => [each.connector, decideRegistration(each, reports.get(each.connector))]),
      );
      const changed = recordRegistration(tx, registration, decisions, context);
      if (statusOf(changed) !== "PROCESSING") return done;
      const gotNowhere = [...decisions.values()].every(({ kind }) => kind === "nothing" || kind === "lost");
      const attempts = gotNowhere ? leased.attempts : 0;
      return { next: "again", at: backOff(registrationBackoff, attempts, context.now), gotNowhere };
    },

    retryAt: ({ attempts }, now) => backOff(registrationBackoff, attempts, now),
  };
}
