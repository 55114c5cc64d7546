import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import type { RegistrationReport } from "../wallets/wallet.ts";
import { recordRegistration } from "./record-registration.sql.ts";
import { findRegistration, lockRegistration } from "./registration.sql.ts";
import {
  decideRegistration,
  nextRegistrationLookAt,
  statusOf,
  type Registration,
  type WalletRegistration,
} from "./registration.ts";

type Reports = ReadonlyMap<string, RegistrationReport>;

/** Sends a registration to the wallets, and polls each until it has decided. */
export function sendRegistration(driver: PaymentDriver): Job<Registration, Reports> {
  async function ask(
    registration: Registration,
    { wallet: name, reference, acceptedAt }: WalletRegistration,
    signal: AbortSignal,
  ): Promise<[string, RegistrationReport]> {
    const wallet = await driver.walletOf(name);
    const { registrationRequestId, productCodes, merchantInfo: merchant, storeInfo: store } = registration;
    const { passThroughInfo } = registration;
    const told = { registrationRequestId, productCodes, merchant, store, passThroughInfo };
    const report = acceptedAt
      ? await wallet.inquireRegistration(reference, signal)
      : await wallet.register({ reference, ...told }, signal);
    return [name, report];
  }

  return {
    name: "send-registration",
    lane: "wallets",

    // The job is deleted once every wallet has decided, or when there is none.
    read: (tx, { bucket, clientId, subjectId }) => findRegistration(tx, { bucket, clientId }, subjectId),

    async call(registration, _held, signal) {
      const open = registration.wallets.filter(({ status }) => status === "PROCESSING");
      const asked = await Promise.allSettled(open.map((each) => ask(registration, each, signal)));
      const reports = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      // A wallet that fails does not hold up the others; if all fail, the job retries.
      const silent = asked.find((each) => each.status === "rejected");
      if (silent && reports.length === 0) throw silent.reason;
      return new Map(reports);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRegistration(tx, { bucket, clientId }, subjectId),

    async settle(tx, registration, reports, held) {
      const context = driver.context(held);
      const open = registration.wallets.filter(({ status }) => status === "PROCESSING");
      const decisions = new Map(
        open.map((each) => [each.wallet, decideRegistration(each, reports.get(each.wallet))]),
      );
      const changed = recordRegistration(tx, registration, decisions, context);
      if (statusOf(changed) !== "PROCESSING") return done;
      const gotNowhere = [...decisions.values()].every(({ kind }) => kind === "nothing" || kind === "lost");
      const attempts = gotNowhere ? held.attempts : 0;
      return { next: "again", at: nextRegistrationLookAt(attempts, context.now), gotNowhere };
    },

    retryAt: ({ attempts }, now) => nextRegistrationLookAt(attempts, now),
  };
}
