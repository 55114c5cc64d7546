import { releaseAuthorization } from "../captures/release-authorization.ts";
import { sendCapture } from "../captures/send-capture.ts";
import { turnClock, type ClockMover } from "../clocks/turn-clock.ts";
import { deliverNotification, type Courier } from "../notifications/deliver-notification.ts";
import { drivePayment } from "../payments/drive-payment.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { reversePayment } from "../payments/reverse-payment.ts";
import { sendRefund } from "../refunds/send-refund.ts";
import { sendRegistration } from "../registrations/send-registration.ts";
import type { Job } from "./job.ts";

/** The table of contents of what is done behind the scenes. */
export function allJobs(
  driver: PaymentDriver,
  courier: Courier,
  mover: ClockMover,
): ReadonlyMap<string, Job> {
  const jobs = [
    drivePayment(driver),
    reversePayment(driver),
    sendRefund(driver),
    sendCapture(driver),
    releaseAuthorization(driver),
    sendRegistration(driver),
    deliverNotification(courier),
    turnClock(mover),
  ].map(anyJob);
  return new Map(jobs.map((job) => [job.name, job]));
}

/** The list holds jobs of all shapes; the runner gives each only what its own `read` has read. */
function anyJob(job: object): Job {
  return job as Job;
}
