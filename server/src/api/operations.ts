import { cancelPayment } from "../payments/cancel-payment.ts";
import { inquirePayment } from "../payments/inquire-payment.ts";
import { pay } from "../payments/pay.ts";
import type { Operation } from "./operation.ts";

/** The table of contents of the API. Everything that is derived is derived from this list. */
export const operations: readonly Operation[] = [pay, inquirePayment, cancelPayment].map(anyOperation);

/** The list holds operations of all shapes; the edge gives each only what its own schema has passed. */
function anyOperation(declared: object): Operation {
  return declared as Operation;
}
