import type { PayRequest } from "../../../clients/typescript/src/generated/models.ts";
import type { Tollgate } from "../../../clients/typescript/src/tollgate.ts";
import { createClient, createControl } from "./local-clients.ts";
import type { Ready } from "../running-file.ts";

interface SeedContext {
  readonly client: Tollgate;
  readonly paymentId: string;
  /** The actions of the buyer and of the provider. */
  readonly control: (command: string, body?: object) => Promise<unknown>;
}

interface Seed {
  readonly value: string;
  readonly overrides?: Partial<PayRequest>;
  /** Brings the payment into its final state. */
  bringToState(context: SeedContext): Promise<unknown>;
}

const authorizationHold = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } } as const;
const approve = ({ control, paymentId }: SeedContext): Promise<unknown> =>
  control(`payments/${paymentId}/approve`);
const euro = (value: string): { readonly currency: string; readonly value: string } => ({
  currency: "EUR",
  value,
});

/** The payments by name, one in each state that a screen can show. The request id of each is derived from its name. */
const seeds: Readonly<Record<string, Seed>> = {
  open: { value: "450", bringToState: async () => undefined },
  pending: { value: "520", bringToState: ({ control, paymentId }) => control(`payments/${paymentId}/pend`) },
  paid: { value: "1250", bringToState: approve },
  "refunded in part": { value: "3000", bringToState: (context) => refundPayment(context, "1000") },
  refunded: { value: "2400", bringToState: (context) => refundPayment(context, "2400") },
  declined: {
    value: "700",
    bringToState: ({ control, paymentId }) =>
      control(`payments/${paymentId}/decline`, { resultCode: "PROCESS_FAIL" }),
  },
  "without money": {
    value: "99900",
    bringToState: ({ control, paymentId }) => control(`payments/${paymentId}/decline`),
  },
  cancelled: { value: "800", bringToState: ({ client, paymentId }) => client.payments.cancel({ paymentId }) },
  held: { value: "30000", overrides: authorizationHold, bringToState: approve },
  "captured in part": {
    value: "18000",
    overrides: authorizationHold,
    bringToState: (context) => capturePayment(context, "12000"),
  },
  disputed: { value: "6600", bringToState: disputePayment },
};

/** Creates a payment in each state. Their request ids are constant, so that a kept gateway gets no duplicates. */
export async function seedPayments(ready: Ready, onStep: (step: string) => void): Promise<void> {
  const [client, control] = [createClient(ready), createControl(ready)];
  const names = Object.keys(seeds);
  onStep(`making payments: ${names.join(", ")}`);
  await Promise.all(
    Object.entries(seeds).map(([name, seed]) =>
      createExample({ client, control }, name, seed, ready.shopUrl),
    ),
  );
}

async function createExample(
  { client, control }: Pick<SeedContext, "client" | "control">,
  name: string,
  { value, overrides, bringToState }: Seed,
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
    ...overrides,
  });
  await bringToState({ client, control, paymentId });
}

async function payAndWait(context: SeedContext): Promise<void> {
  await approve(context);
  await context.client.payments.waitForFinal({ paymentId: context.paymentId });
}

async function refundPayment(context: SeedContext, value: string): Promise<void> {
  await payAndWait(context);
  const { client, paymentId } = context;
  await client.payments.refund({ refundRequestId: `${paymentId}-1`, paymentId, refundAmount: euro(value) });
}

async function capturePayment(context: SeedContext, value: string): Promise<void> {
  await payAndWait(context);
  const { client, paymentId } = context;
  await client.payments.capture({
    captureRequestId: `${paymentId}-1`,
    paymentId,
    captureAmount: euro(value),
  });
}

async function disputePayment(context: SeedContext): Promise<void> {
  await payAndWait(context);
  await context.control(`payments/${context.paymentId}/dispute`);
}
