import connectorPackage from "../package.json" with { type: "json" };
import type { Connector, FactsSheet } from "../../kit/src/connector.ts";
import { newClientOf, stripeAddress, type StripeAddress } from "./client.ts";
import { acceptDispute, defendDispute, evidenceFields, findDispute } from "./disputes.ts";
import { captureIntent, createRefund, findCapture, findRefund } from "./money.ts";
import { cancelSession, createSession, findSession, paymentMethods } from "./orders.ts";
import { readWebhook } from "./webhooks.ts";

const day = 24 * 3600;

/** From Stripe's public documentation, November 2026. */
const facts: FactsSheet = {
  // Stripe recognises a key for at least 24 hours.
  idempotencyWindowSeconds: day,
  quietSeconds: 60,
  lookupDelaySeconds: 5,
  // A card's hold online lasts seven days at most networks, and at Visa less: Stripe's expiry counts.
  holdSeconds: 7 * day,
  refundWindowSeconds: 180 * day,
  refunds: "MANY",
  captures: "ONE",
  cancelPaid: "NEVER",
  currencies: [],
  paymentMethodTypes: Object.keys(paymentMethods),
  wants: ["buyer"],
};

/** The connector to Stripe: Checkout Sessions, by which the buyer pays on Stripe's page. */
export function newStripeConnector(address: StripeAddress = stripeAddress): Connector {
  const clientOf = newClientOf(address);
  return {
    name: "stripe",
    softwareVersion: connectorPackage.version,
    facts,
    usesOwnSecretsForAccounts: false,
    create: (order, context) => createSession(clientOf, order, context),
    findOrder: (order, context) => findSession(clientOf, order, context),
    cancel: (order, context) => cancelSession(clientOf, order, context),
    capture: (operation, context) => captureIntent(clientOf, operation, context),
    findCapture: (operation, context) => findCapture(clientOf, operation, context),
    refund: (operation, context) => createRefund(clientOf, operation, context),
    findRefund: (operation, context) => findRefund(clientOf, operation, context),
    disputes: {
      evidenceTypes: Object.keys(evidenceFields),
      find: (id, context, account) => findDispute(clientOf, id, context, account),
      accept: (dispute, context) => acceptDispute(clientOf, dispute, context),
      defend: (dispute, evidence, context) => defendDispute(clientOf, dispute, evidence, context),
    },
    readWebhook,
  };
}
