import { exchangeCode } from "../authorizations/exchange-code.ts";
import { followAuthorization } from "../authorizations/follow-authorization.ts";
import { releaseAuthorization } from "../captures/release-authorization.ts";
import { sendCapture } from "../captures/send-capture.ts";
import { turnClock, type ClockMover } from "../clocks/turn-clock.ts";
import { answerDispute } from "../disputes/answer-dispute.ts";
import { watchDispute } from "../disputes/watch-dispute.ts";
import { deliverNotification, type Courier } from "../notifications/deliver-notification.ts";
import { closeSession } from "../payments/close-session.ts";
import { drivePayment } from "../payments/drive-payment.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { reversePayment } from "../payments/reverse-payment.ts";
import { sendRefund } from "../refunds/send-refund.ts";
import { sendRegistration } from "../registrations/send-registration.ts";
import type { Job } from "./job.ts";

/** All background jobs, by name. */
export function allJobs(
  driver: PaymentDriver,
  courier: Courier,
  mover: ClockMover,
): ReadonlyMap<string, Job> {
  const jobs = [
    drivePayment(driver),
    closeSession(driver),
    reversePayment(driver),
    sendRefund(driver),
    sendCapture(driver),
    releaseAuthorization(driver),
    sendRegistration(driver),
    followAuthorization(driver),
    exchangeCode(driver),
    answerDispute(driver),
    watchDispute(driver),
    deliverNotification(courier),
    turnClock(mover),
  ].map(anyJob);
  return new Map(jobs.map((job) => [job.name, job]));
}

/** The list holds jobs of all shapes; the runner gives each only what its own `read` has read. */
function anyJob(job: object): Job {
  return job as Job;
}
