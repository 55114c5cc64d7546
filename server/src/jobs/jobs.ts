import { deliverNotification, type Courier } from "../notifications/deliver-notification.ts";
import { drivePayment } from "../payments/drive-payment.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { reversePayment } from "../payments/reverse-payment.ts";
import type { Job } from "./job.ts";

/** The table of contents of what is done behind the scenes. */
export function allJobs(driver: PaymentDriver, courier: Courier): ReadonlyMap<string, Job> {
  const jobs = [drivePayment(driver), reversePayment(driver), deliverNotification(courier)].map(anyJob);
  return new Map(jobs.map((job) => [job.name, job]));
}

/** The list holds jobs of all shapes; the runner gives each only what its own `read` has read. */
function anyJob(job: object): Job {
  return job as Job;
}
