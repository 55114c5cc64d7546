import type { Commands } from "../../../server/src/operators/framework/command.ts";
import { calling, whichGateway, whichProvider } from "./calling.ts";

const load = (): Promise<typeof import("./payment-commands.ts")> => import("./payment-commands.ts");

/** Commands about payments, and the command that calls any operation. */
export const paymentCommands: Commands = {
  pay: {
    takes: ["[AMOUNT]"],
    does: "start a payment (default 12.50)",
    about: whichGateway,
    options: {
      currency: { value: "EUR", does: "currency of the amount" },
      method: { value: "GCASH", does: "payment method; CARD leads to the page for test cards" },
      hold: { does: "only hold the money, for a later `capture`" },
      "notify-url": {
        value: "URL",
        does: "address that receives the webhook, also on this machine (default: the demo shop)",
      },
      "redirect-url": { value: "URL", does: "where the buyer goes afterwards (default: the demo shop)" },
      ...calling,
    },
    examples: [
      "tollgate pay",
      "tollgate pay 9.90 --currency USD --notify-url http://127.0.0.1:3000/notify",
      "tollgate pay 300 --method CARD --hold",
    ],
    run: async (given) => (await load()).pay(given),
  },
  approve: {
    takes: ["PAYMENT_ID"],
    does: "pay as the buyer, in the sandbox",
    about: whichProvider,
    options: calling,
    examples: ["tollgate approve 20261115093000123047601530017744120"],
    run: async (given) => (await load()).decide(given, "approve"),
  },
  decline: {
    takes: ["PAYMENT_ID"],
    does: "decline to pay as the buyer, in the sandbox",
    about: whichProvider,
    options: {
      code: { value: "CODE", does: "reason, a result code (default USER_BALANCE_NOT_ENOUGH)" },
      ...calling,
    },
    examples: [
      "tollgate decline 20261115093000123047601530017744120",
      "tollgate decline 20261115093000123047601530017744120 --code RISK_REJECT",
    ],
    run: async (given) => (await load()).decide(given, "decline"),
  },
  inquire: {
    takes: ["PAYMENT_ID"],
    does: "show the status of a payment",
    about: whichGateway,
    options: calling,
    examples: ["tollgate inquire 20261115093000123047601530017744120"],
    run: async (given) => (await load()).inquire(given),
  },
  capture: {
    takes: ["PAYMENT_ID", "[AMOUNT]"],
    does: "capture held money: an amount, or all that is left",
    about: whichGateway,
    options: { last: { does: "release the rest of the hold" }, ...calling },
    examples: [
      "tollgate capture 20261115093000123047601530017744120 120",
      "tollgate capture 20261115093000123047601530017744120 120 --last",
    ],
    run: async (given) => (await load()).capture(given),
  },
  refund: {
    takes: ["PAYMENT_ID", "[AMOUNT]"],
    does: "refund a payment: an amount, or all that is left",
    about: whichGateway,
    options: calling,
    examples: [
      "tollgate refund 20261115093000123047601530017744120",
      "tollgate refund 20261115093000123047601530017744120 2.50",
    ],
    run: async (given) => (await load()).refund(given),
  },
  call: {
    takes: ["OPERATION", "[JSON]"],
    does: "call any operation with a signed request, and print the response",
    about: `${whichGateway}\nA rejection is printed like any other response, with exit code 1.`,
    options: calling,
    examples: [`tollgate call inquiryPayment '{"paymentId":"1"}'`, "tollgate call tollgate/inquiryEvents"],
    words: async () =>
      Object.keys((await import("../../../clients/typescript/src/generated/operations.ts")).operations),
    run: async (given) => (await load()).call(given),
  },
};
