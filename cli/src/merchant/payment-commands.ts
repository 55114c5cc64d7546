import { operations } from "../../../clients/typescript/src/generated/operations.ts";
import { Money } from "../../../clients/typescript/src/money.ts";
import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { findGateway } from "./configured-gateway.ts";
import { capturableAmount, refundableAmount } from "./remaining-amount.ts";
import { shopNotifyUrl, startPayment } from "./start-payment.ts";
import { repeatUntil } from "./repeat-until.ts";
import { controlProvider, refundPath } from "./provider-control.ts";

/** Starts a payment, and prints the page on which the buyer pays. */
export async function pay(args: CommandArguments): Promise<void> {
  const amount = parseAmount(args.value("currency") ?? "EUR", args.positionals[0] ?? "12.50");
  const { client, shopUrl } = await findGateway(args.value("folder"));
  const { paymentId, page, answer } = await startPayment(client, {
    amount,
    method: args.value("method"),
    isHeld: args.has("hold"),
    notifyUrl: args.value("notify-url"),
    redirectUrl: args.value("redirect-url"),
    shopUrl,
  });
  printAnswer(args, answer, [
    `payment   ${paymentId}`,
    `page      ${page}`,
    `to pay    tollgate approve ${paymentId}`,
  ]);
}

/**
 * How long to wait for the provider's callback. The provider sends it at once, and repeats a lost callback after one
 * second.
 */
const decisionTimeoutMs = 3_000;

/** Decides as the buyer, through the control interface of the sandbox provider. */
export async function decide(args: CommandArguments, decision: "approve" | "decline"): Promise<void> {
  const gateway = await findGateway(args.value("folder"));
  const paymentId = encodeURIComponent(args.positionals[0] ?? "");
  const resultCode = args.value("code");
  const body = resultCode === undefined ? {} : { resultCode };
  const answer = await controlProvider(gateway, `POST payments/${paymentId}/${decision}`, body);
  // Waits until the gateway knows the decision, so that the next inquiry returns the new status.
  await repeatUntil(
    () => gateway.client.request("payments/inquiryPayment", { paymentId }, { throwOnFailure: false }),
    ({ paymentStatus }) => paymentStatus !== "PROCESSING",
    decisionTimeoutMs,
  );
  printAnswer(args, answer, [`${decision}d`]);
  // The next commands are printed on standard error and only for people, because programs compare the standard output.
  if (decision === "approve" && process.stderr.isTTY)
    process.stderr.write(
      `to refund  tollgate refund ${paymentId}\nto see it  tollgate inquire ${paymentId}\n`,
    );
}

/** Prints the status of a payment. */
export async function inquire(args: CommandArguments): Promise<void> {
  const { client } = await findGateway(args.value("folder"));
  const answer = await client.payments.inquiryPayment({ paymentId: args.positionals[0] ?? "" });
  const { paymentStatus, paymentAmount, paymentTime } = answer;
  const money = paymentAmount && formatAmount(paymentAmount);
  printAnswer(args, answer, [[paymentStatus, money, paymentTime].filter(Boolean).join("  ")]);
}

/** Captures held money: the given amount, or the whole remaining hold. */
export async function capture(args: CommandArguments): Promise<void> {
  const { client } = await findGateway(args.value("folder"));
  const [paymentId = "", decimal] = args.positionals;
  const payment = await client.payments.inquiryPayment({ paymentId });
  const captureAmount =
    decimal === undefined
      ? capturableAmount(payment)
      : parseAmount(payment.paymentAmount?.currency ?? "", decimal);
  const captureRequestId = newRequestId("cli");
  const isLastCapture = args.has("last");
  const request = { captureRequestId, paymentId, captureAmount, isLastCapture };
  const answer = await repeatUntil(
    () => client.payments.capture(request),
    // Repeats the same request while the capture is pending, because a repeated capture is idempotent.
    ({ result }) => result.resultStatus !== "U",
  );
  const { resultCode, resultStatus } = answer.result;
  printAnswer(args, answer, [`${resultCode}  ${formatAmount(captureAmount)}  capture ${answer.captureId}`]);
  if (resultStatus !== "S") process.exitCode = 1;
}

/** Refunds the given amount, or the whole remaining amount, and waits for the result. */
export async function refund(args: CommandArguments): Promise<void> {
  const { client, shopUrl } = await findGateway(args.value("folder"));
  const [paymentId = "", decimal] = args.positionals;
  const payment = await client.payments.inquiryPayment({ paymentId });
  const refundAmount =
    decimal === undefined
      ? refundableAmount(payment)
      : parseAmount(payment.paymentAmount?.currency ?? "", decimal);
  const refundRequestId = newRequestId("cli");
  const notifyFields = shopUrl === undefined ? {} : { refundNotifyUrl: shopNotifyUrl(shopUrl) };
  await client.payments.refund({ refundRequestId, paymentId, refundAmount, ...notifyFields });
  const answer = await client.payments.waitForFinalRefund({ refundRequestId });
  printAnswer(args, answer, [
    `${answer.refundStatus}  ${formatAmount(refundAmount)}  refund ${answer.refundId}`,
  ]);
  if (answer.refundStatus !== "SUCCESS") process.exitCode = 1;
}

/** Fails a refund at the sandbox provider, also one that succeeded, and waits until the gateway knows. */
export async function failRefund(args: CommandArguments): Promise<void> {
  const gateway = await findGateway(args.value("folder"));
  const { client, caller } = gateway;
  const refundId = args.positionals[0] ?? "";
  const { refundRequestId = "" } = await client.payments.inquiryRefund({ refundId });
  const resultCode = args.value("code");
  const body = resultCode === undefined ? {} : { resultCode };
  await controlProvider(gateway, `POST ${refundPath(caller.clientId, refundRequestId)}/fail`, body);
  const answer = await repeatUntil(
    () => client.payments.inquiryRefund({ refundId }),
    ({ refundStatus }) => refundStatus === "FAIL",
    decisionTimeoutMs,
  );
  printAnswer(args, answer, [`${answer.refundStatus}  refund ${refundId}`]);
  if (answer.refundStatus !== "FAIL") process.exitCode = 1;
}

/** Calls any operation with any body, and prints the response, also a rejection. */
export async function call(args: CommandArguments): Promise<void> {
  const [name = "", text = "{}"] = args.positionals;
  const operation = findOperation(name);
  const body = parseBody(text);
  const { client } = await findGateway(args.value("folder"));
  const answer = await client.request(operation, body, { throwOnFailure: false });
  process.stdout.write(`${JSON.stringify(answer, undefined, args.has("json") ? 0 : 2)}\n`);
  if (answer.isFailure) process.exitCode = 1;
}

/** Finds an operation by its path, such as `payments/pay`, or by its name alone, such as `pay`. */
function findOperation(name: string): string {
  const paths = Object.keys(operations);
  const path = paths.find((each) => each === name || each.split("/").at(-1) === name);
  if (path !== undefined) return path;
  const names = [...paths, ...paths.map((each) => each.split("/").at(-1) ?? "")];
  throw new UsageError(`There is no operation ${name}.${didYouMean(name, names)}`);
}

function parseBody(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return body;
  } catch {
    // A body that is not JSON gets the same error as JSON that is not an object.
  }
  throw new UsageError(`The body must be a JSON object, such as '{"paymentId":"1"}'.`);
}

function parseAmount(
  currency: string,
  decimal: string,
): { readonly currency: string; readonly value: string } {
  if (!/^\d{1,16}(?:\.\d+)?$/.test(decimal))
    throw new UsageError(`${decimal} is not an amount: write it like 12.50.`);
  try {
    return Money.of(currency, decimal).toAmount();
  } catch (error) {
    const { message } = error as Error;
    const isCurrency = message.includes(currency) && !message.includes("decimals");
    const example = isCurrency ? " Write an ISO 4217 code, such as EUR." : "";
    throw new UsageError(message + example, { cause: error });
  }
}

function formatAmount(amount: { readonly currency: string; readonly value: string }): string {
  return `${amount.currency} ${Money.from(amount).toDecimal()}`;
}

function printAnswer(args: CommandArguments, answer: object, lines: readonly string[]): void {
  process.stdout.write(args.has("json") ? `${JSON.stringify(answer)}\n` : `${lines.join("\n")}\n`);
}
