import { capturePayment } from "../captures/capture-payment.ts";
import { inquireOpenRecords } from "../oversight/inquire-open-records.ts";
import { cancelPayment } from "../payments/cancel-payment.ts";
import { inquirePayment } from "../payments/inquire-payment.ts";
import { pay } from "../payments/pay.ts";
import { inquireRefund } from "../refunds/inquire-refund.ts";
import { refundPayment } from "../refunds/refund-payment.ts";
import type { Operation } from "./operation.ts";

/** The table of contents of the API. Everything that is derived is derived from this list. */
export const operations: readonly Operation[] = [
  pay,
  inquirePayment,
  cancelPayment,
  capturePayment,
  refundPayment,
  inquireRefund,
  inquireOpenRecords,
].map(anyOperation);

/** The list holds operations of all shapes; the edge gives each only what its own schema has passed. */
function anyOperation(declared: object): Operation {
  return declared as Operation;
}
