import { Stripe } from "stripe";
import type { Webhook, WebhookEvent, WebhookReading } from "../../kit/src/connector.ts";

const toleranceSeconds = 300;

type Subject = Pick<WebhookEvent, "subject" | "reference" | "providerId">;

/** The subject of each kind of event. Other kinds are acknowledged and ignored. */
const subjects: Readonly<Record<string, (object: unknown) => Subject | undefined>> = {
  "checkout.session.completed": sessionSubject,
  "checkout.session.expired": sessionSubject,
  "checkout.session.async_payment_succeeded": sessionSubject,
  "checkout.session.async_payment_failed": sessionSubject,
  "payment_intent.amount_capturable_updated": intentSubject,
  "payment_intent.canceled": intentSubject,
  "payment_intent.payment_failed": intentSubject,
  "payment_intent.succeeded": intentSubject,
  "refund.created": refundSubject,
  "refund.failed": refundSubject,
  "refund.updated": refundSubject,
  "charge.dispute.closed": disputeSubject,
  "charge.dispute.created": disputeSubject,
  "charge.dispute.updated": disputeSubject,
  "radar.early_fraud_warning.created": disputeSubject,
};

/** The kinds of event for which the operator registers the webhook endpoint. */
export const webhookKinds = Object.keys(subjects);

/** Verifies the signature over the raw bytes with each secret that is valid now. */
export function readWebhook({ body, header, secrets, nowMs }: Webhook): WebhookReading {
  const signature = header("stripe-signature") ?? "";
  for (const secret of secrets("webhook-secret")) {
    const event = verify(body, signature, secret, nowMs);
    if (event) return { outcome: "verified", events: toEvents(event) };
  }
  return { outcome: "forged" };
}

function verify(body: Buffer, signature: string, secret: string, nowMs: number): Stripe.Event | undefined {
  try {
    const seconds = Math.floor(nowMs / 1000);
    return Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, seconds);
  } catch {
    return undefined;
  }
}

function toEvents({ id, type, data, account }: Stripe.Event): readonly WebhookEvent[] {
  const subject = subjects[type]?.(data.object);
  return subject ? [{ eventId: id, ...subject, ...(account !== undefined && { account }) }] : [];
}

function sessionSubject(object: unknown): Subject | undefined {
  const { client_reference_id: reference } = object as Stripe.Checkout.Session;
  return reference === null ? undefined : { subject: "order", reference };
}

function intentSubject(object: unknown): Subject | undefined {
  const reference = (object as Stripe.PaymentIntent).metadata["reference"];
  return reference === undefined ? undefined : { subject: "order", reference };
}

function refundSubject(object: unknown): Subject | undefined {
  const reference = (object as Stripe.Refund).metadata?.["reference"];
  return reference === undefined ? undefined : { subject: "refund", reference };
}

function disputeSubject(object: unknown): Subject {
  return { subject: "dispute", providerId: (object as { readonly id: string }).id };
}
