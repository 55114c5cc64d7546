import sandbox from "../../package.json" with { type: "json" };
import { evidenceTypes } from "../wallet/dispute.ts";
import { holdSeconds } from "../wallet/order.ts";
import type { Verb } from "./verb.ts";

/** Returns the facts of the wallet. */
export const facts: Verb = {
  name: "facts",
  folder: "",
  act: ({ wants }) => ({ code: "SUCCESS", fields: { facts: { ...walletFacts, wants: [...wants] } } }),
};

/** The wallet recognises each repeated message, so it states no idempotency window. */
const walletFacts = {
  protocolVersion: "1.1",
  name: "Tollgate sandbox provider",
  softwareVersion: sandbox.version,
  enforcesNotAfter: true,
  holdSeconds,
  refundWindowSeconds: 365 * 24 * 3600,
  refunds: "MANY",
  captures: "MANY",
  cancelPaid: "DAY",
  currencies: [],
  paymentMethodTypes: [],
  queries: ["order", "capture", "refund", "dispute", "registration"],
  evidenceTypes,
  callbacks: ["order", "capture", "refund", "dispute", "authorization"],
};
