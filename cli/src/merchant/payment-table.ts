import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { commonOptions, gatewayHelp, providerHelp } from "./common-options.ts";

const load = (): Promise<typeof import("./payment-commands.ts")> => import("./payment-commands.ts");

/** Commands about payments, and the command that calls any operation. */
export const paymentCommands: Commands = {
  pay: {
    positionals: ["[AMOUNT]"],
    summary: "start a payment (default 12.50)",
    description: gatewayHelp,
    options: {
      currency: { value: "EUR", summary: "currency of the amount" },
      method: { value: "GCASH", summary: "payment method; CARD leads to the page for test cards" },
      hold: { summary: "only hold the money, for a later `capture`" },
      "notify-url": {
        value: "URL",
        summary: "address that receives the webhook, also on this machine (default: the demo shop)",
      },
      "redirect-url": { value: "URL", summary: "where the buyer goes afterwards (default: the demo shop)" },
      ...commonOptions,
    },
    examples: [
      "tollgate pay",
      "tollgate pay 9.90 --currency USD --notify-url http://127.0.0.1:3000/notify",
      "tollgate pay 300 --method CARD --hold",
    ],
    run: async (args) => (await load()).pay(args),
  },
  approve: {
    positionals: ["PAYMENT_ID"],
    summary: "pay as the buyer, in the sandbox",
    description: providerHelp,
    options: commonOptions,
    examples: ["tollgate approve 20261115093000123047601530017744120"],
    run: async (args) => (await load()).decide(args, "approve"),
  },
  decline: {
    positionals: ["PAYMENT_ID"],
    summary: "decline to pay as the buyer, in the sandbox",
    description: providerHelp,
    options: {
      code: { value: "CODE", summary: "reason, a result code (default USER_BALANCE_NOT_ENOUGH)" },
      ...commonOptions,
    },
    examples: [
      "tollgate decline 20261115093000123047601530017744120",
      "tollgate decline 20261115093000123047601530017744120 --code RISK_REJECT",
    ],
    run: async (args) => (await load()).decide(args, "decline"),
  },
  inquire: {
    positionals: ["PAYMENT_ID"],
    summary: "show the status of a payment",
    description: gatewayHelp,
    options: commonOptions,
    examples: ["tollgate inquire 20261115093000123047601530017744120"],
    run: async (args) => (await load()).inquire(args),
  },
  capture: {
    positionals: ["PAYMENT_ID", "[AMOUNT]"],
    summary: "capture held money: an amount, or all that is left",
    description: gatewayHelp,
    options: { last: { summary: "release the rest of the hold" }, ...commonOptions },
    examples: [
      "tollgate capture 20261115093000123047601530017744120 120",
      "tollgate capture 20261115093000123047601530017744120 120 --last",
    ],
    run: async (args) => (await load()).capture(args),
  },
  refund: {
    positionals: ["PAYMENT_ID", "[AMOUNT]"],
    summary: "refund a payment: an amount, or all that is left",
    description: gatewayHelp,
    options: commonOptions,
    examples: [
      "tollgate refund 20261115093000123047601530017744120",
      "tollgate refund 20261115093000123047601530017744120 2.50",
    ],
    run: async (args) => (await load()).refund(args),
  },
  "fail-refund": {
    positionals: ["REFUND_ID"],
    summary: "fail a refund in the sandbox, also after it succeeded",
    description:
      `${gatewayHelp}\n${providerHelp}\n` +
      "A refund that succeeded fails if the buyer's bank returns the money. The merchant gets a second webhook.",
    options: {
      code: { value: "CODE", summary: "reason, a result code (default PROCESS_FAIL)" },
      ...commonOptions,
    },
    examples: ["tollgate fail-refund 20261116141503418047602904415082637"],
    run: async (args) => (await load()).failRefund(args),
  },
  call: {
    positionals: ["OPERATION", "[JSON]"],
    summary: "call any operation with a signed request, and print the response",
    description: `${gatewayHelp}\nA rejection is printed like any other response, with exit code 1.`,
    options: commonOptions,
    examples: [`tollgate call inquiryPayment '{"paymentId":"1"}'`, "tollgate call tollgate/inquiryEvents"],
    completionValues: async () =>
      Object.keys((await import("../../../clients/typescript/src/generated/operations.ts")).operations),
    run: async (args) => (await load()).call(args),
  },
};
