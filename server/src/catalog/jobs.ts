import { exchangeCode } from "../authorizations/exchange-code.ts";
import { followAuthorization } from "../authorizations/follow-authorization.ts";
import { releaseHold } from "../captures/release-hold.ts";
import { sendCapture } from "../captures/send-capture.ts";
import type { JobName } from "../core/job-name.ts";
import { advanceClockJob, type ClockMover } from "../test-clocks/advance-clock-job.ts";
import { answerDispute } from "../disputes/answer-dispute.ts";
import { watchDispute } from "../disputes/watch-dispute.ts";
import { deliverNotification, type WebhookSender } from "../notifications/deliver-notification.ts";
import { closeSession } from "../sessions/close-session.ts";
import { drivePayment } from "../payments/drive-payment.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { reversePayment } from "../payments/reversals/reverse-payment.ts";
import { sendRefund } from "../refunds/send-refund.ts";
import { sendRegistration } from "../registrations/send-registration.ts";
import type { Job } from "../contract/job.ts";

/** All background jobs, by name. */
export function buildJobs(
  driver: ProviderDriver,
  courier: WebhookSender,
  clockMover: ClockMover,
): ReadonlyMap<JobName, Job> {
  // Jobs with different record types: the runner gives each job only what its own `read` returned.
  const jobs: Readonly<Record<JobName, Job>> = {
    "drive-payment": drivePayment(driver),
    "close-session": closeSession(driver),
    "reverse-payment": reversePayment(driver),
    "send-capture": sendCapture(driver),
    "release-hold": releaseHold(driver),
    "send-refund": sendRefund(driver),
    "send-registration": sendRegistration(driver),
    "follow-authorization": followAuthorization(driver),
    "exchange-code": exchangeCode(driver),
    "answer-dispute": answerDispute(driver),
    "watch-dispute": watchDispute(driver),
    "deliver-notification": deliverNotification(courier),
    "turn-clock": advanceClockJob(clockMover),
  };
  return new Map(Object.entries(jobs) as [JobName, Job][]);
}
