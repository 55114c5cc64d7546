import { toBase64, fromBase64 } from "../typescript/src/bytes.ts";
import { privateKeyOf } from "../typescript/src/key.ts";
import { Money } from "../typescript/src/money.ts";
import type { Notification } from "../typescript/src/notification.ts";
import { newRequestId } from "../typescript/src/request-id.ts";
import { signedText, writeSignatureHeader } from "../typescript/src/signature.ts";
import { Tollgate } from "../typescript/src/tollgate.ts";
import type { EdgeSettings } from "./edge-steps.ts";
import type { Mail } from "./mailbox.ts";

/**
 * Runs the payment lifecycle without Node and without files: an edge worker with `fetch` and WebCrypto. A
 * POST request with the settings returns the same lines that every other runner prints.
 */
interface FetchEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

declare function addEventListener(name: "fetch", listener: (event: FetchEvent) => void): void;

addEventListener("fetch", (event) => event.respondWith(handleRequest(event.request)));

async function handleRequest(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response("up");
  return new Response((await runEdgeLifecycle((await request.json()) as EdgeSettings)).join("\n"));
}

async function runEdgeLifecycle(settings: EdgeSettings): Promise<readonly string[]> {
  const lines: string[] = [];
  const step = async (name: string, run: () => Promise<void>): Promise<void> => {
    const problem = await run().then(
      () => undefined,
      (error: unknown) => String(error).replaceAll(/\s+/g, " "),
    );
    lines.push(problem === undefined ? `${name} ok` : `${name} FAILED ${problem}`);
  };
  const { variables, privateKey, gatewayPublicKey } = settings;
  const client = new Tollgate({
    baseUrl: variables["BASE_URL"] ?? "",
    clientId: variables["CLIENT_ID"] ?? "",
    keyVersion: Number(variables["KEY_VERSION"]),
    environment: "sandbox",
    privateKey,
    gatewayPublicKeys: gatewayPublicKey,
  });
  const mailbox = variables["MAILBOX_URL"] ?? "";
  const amount = Money.of("EUR", "12.50").toAmount();
  const paymentRequestId = newRequestId("edge");
  let paymentId = "";
  let mail: Mail | undefined;

  await step("sign", () => checkSignCases(settings));
  await step("pay", async () => {
    const answer = await client.payments.pay({
      productCode: "CASHIER_PAYMENT",
      paymentRequestId,
      order: { referenceOrderId: "order-1001", orderDescription: "Two coffees", orderAmount: amount },
      paymentAmount: amount,
      paymentMethod: { paymentMethodType: "GCASH" },
      paymentRedirectUrl: "https://shop.example/thanks",
      paymentNotifyUrl: `${mailbox}/notify?shop=1`,
      env: { terminalType: "WEB" },
    });
    expect(answer.isPending && answer.normalUrl, "a pending payment");
    paymentId = answer.paymentId ?? "";
  });
  await step("approve", async () => {
    const headers = { authorization: `Bearer ${variables["CONTROL_SECRET"]}` };
    const url = `${variables["WALLET_URL"]}/control/payments/${paymentId}/approve`;
    expect((await fetch(url, { method: "POST", headers })).ok, "the buyer's yes");
    const paid = await client.payments.waitForFinal({ paymentId }, { timeoutMs: 20_000 });
    expect(paid.paymentStatus === "SUCCESS", "a payment that succeeded");
  });
  await step("notification", async () => {
    mail = await waitForMail(mailbox, paymentId);
    const notification = await verifyMail(client, mail);
    expect(notification.subject === `notifyPayment ${paymentId}`, "a webhook of this payment");
  });
  await step("forged-notification", async () => {
    if (!mail) throw new Error("No webhook arrived.");
    const forgedMail = {
      ...mail,
      bodyBase64: btoa(atob(mail.bodyBase64).replace(paymentId, `${paymentId}0`)),
    };
    const errorName = await verifyMail(client, forgedMail).catch((error: Error) => error.name);
    expect(errorName === "SignatureVerificationError", "a refusal");
  });
  await step("refund", async () => {
    const refundRequestId = newRequestId("refund");
    await client.payments.refund({ refundRequestId, paymentId, refundAmount: amount });
    const refund = await client.payments.waitForFinalRefund({ refundRequestId }, { timeoutMs: 20_000 });
    expect(refund.refundStatus === "SUCCESS", "a refund that succeeded");
  });
  return lines;
}

async function checkSignCases({ signCases, privateKeys }: EdgeSettings): Promise<void> {
  for (const each of signCases) {
    const text = signedText({ ...each, body: fromBase64(each.bodyBase64) ?? new Uint8Array() });
    const signature = await privateKeyOf(privateKeys[each.key] ?? "").sign(text);
    const isCorrect =
      toBase64(signature) === each.signature &&
      writeSignatureHeader(each.keyVersion, signature) === each.header;
    expect(isCorrect, `the signature of ${each.id}`);
  }
}

async function waitForMail(mailbox: string, paymentId: string): Promise<Mail> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`${mailbox}/mail?about=${paymentId}`);
    const [mail] = (await response.json()) as readonly Mail[];
    if (mail) return mail;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("No webhook about the payment arrived.");
}

function verifyMail(client: Tollgate, { bodyBase64, ...mail }: Mail): Promise<Notification> {
  return client.webhooks.construct({ ...mail, body: fromBase64(bodyBase64) ?? new Uint8Array() });
}

function expect(condition: unknown, expectation: string): void {
  if (!condition) throw new Error(`Expected ${expectation}.`);
}
