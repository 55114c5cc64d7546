import type { PayRequest } from "../../../clients/typescript/src/generated/models.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { clientOf, controlOf } from "./own-gateway.ts";
import type { Ready } from "../running.ts";

interface Hand {
  readonly client: Tollgate;
  readonly paymentId: string;
  /** The actions of the buyer and of the provider. */
  readonly control: (command: string, body?: object) => Promise<unknown>;
}

interface Seed {
  readonly value: string;
  readonly more?: Partial<PayRequest>;
  /** Brings the payment into its final state. */
  end(hand: Hand): Promise<unknown>;
}

const held = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } } as const;
const approve = ({ control, paymentId }: Hand): Promise<unknown> => control(`payments/${paymentId}/approve`);
const euro = (value: string): { readonly currency: string; readonly value: string } => ({
  currency: "EUR",
  value,
});

/** The payments by name, one in each state that a screen can show. The request id of each is derived from its name. */
const seeds: Readonly<Record<string, Seed>> = {
  open: { value: "450", end: async () => undefined },
  pending: { value: "520", end: ({ control, paymentId }) => control(`payments/${paymentId}/pend`) },
  paid: { value: "1250", end: approve },
  "refunded in part": { value: "3000", end: (hand) => refunded(hand, "1000") },
  refunded: { value: "2400", end: (hand) => refunded(hand, "2400") },
  declined: {
    value: "700",
    end: ({ control, paymentId }) => control(`payments/${paymentId}/decline`, { resultCode: "PROCESS_FAIL" }),
  },
  "without money": {
    value: "99900",
    end: ({ control, paymentId }) => control(`payments/${paymentId}/decline`),
  },
  cancelled: { value: "800", end: ({ client, paymentId }) => client.payments.cancel({ paymentId }) },
  held: { value: "30000", more: held, end: approve },
  "captured in part": { value: "18000", more: held, end: (hand) => captured(hand, "12000") },
  disputed: { value: "6600", end: disputed },
};

/** Creates a payment in each state. Their request ids are constant, so that a kept gateway gets no duplicates. */
export async function seedPayments(ready: Ready, onStep: (step: string) => void): Promise<void> {
  const [client, control] = [clientOf(ready), controlOf(ready)];
  const names = Object.keys(seeds);
  onStep(`making payments: ${names.join(", ")}`);
  await Promise.all(
    Object.entries(seeds).map(([name, seed]) =>
      createExample({ client, control }, name, seed, ready.shopUrl),
    ),
  );
}

async function createExample(
  { client, control }: Pick<Hand, "client" | "control">,
  name: string,
  { value, more, end }: Seed,
  shopUrl: string,
): Promise<void> {
  const paymentRequestId = `seed-${name.replaceAll(" ", "-")}`;
  const before = await client.payments.inquiryPayment({ paymentRequestId }, { throwOnFailure: false });
  if (!before.isFailure) return;
  const amount = euro(value);
  const { paymentId = "" } = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: {
      referenceOrderId: paymentRequestId,
      orderDescription: `An order that is ${name}`,
      orderAmount: amount,
    },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: `${shopUrl}/orders/${paymentRequestId}`,
    env: { terminalType: "WEB" },
    ...more,
  });
  await end({ client, control, paymentId });
}

async function paid(hand: Hand): Promise<void> {
  await approve(hand);
  await hand.client.payments.waitForFinal({ paymentId: hand.paymentId });
}

async function refunded(hand: Hand, value: string): Promise<void> {
  await paid(hand);
  const { client, paymentId } = hand;
  await client.payments.refund({ refundRequestId: `${paymentId}-1`, paymentId, refundAmount: euro(value) });
}

async function captured(hand: Hand, value: string): Promise<void> {
  await paid(hand);
  const { client, paymentId } = hand;
  await client.payments.capture({
    captureRequestId: `${paymentId}-1`,
    paymentId,
    captureAmount: euro(value),
  });
}

async function disputed(hand: Hand): Promise<void> {
  await paid(hand);
  await hand.control(`payments/${hand.paymentId}/dispute`);
}
