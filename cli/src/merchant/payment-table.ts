import type { Commands } from "../../../server/src/commands/command.ts";
import { calling, whichGateway, whichWallet } from "./calling.ts";

const load = (): Promise<typeof import("./payment-commands.ts")> => import("./payment-commands.ts");

/** Commands about payments, and the one that calls anything. */
export const paymentCommands: Commands = {
  pay: {
    takes: ["[AMOUNT]"],
    does: "start a payment, of 12.50 unless said otherwise",
    about: whichGateway,
    options: {
      currency: { value: "EUR", does: "the currency of the amount" },
      method: { value: "GCASH", does: "the payment method; CARD leads to the page for test cards" },
      hold: { does: "have the money held only, to be taken by `capture`" },
      "notify-url": {
        value: "URL",
        does: "where its end is told, on this machine as well; otherwise the demo shop",
      },
      "redirect-url": { value: "URL", does: "where the buyer goes afterwards; otherwise the demo shop" },
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
    about: whichWallet,
    options: calling,
    examples: ["tollgate approve 20261115093000123047601530017744120"],
    run: async (given) => (await load()).decide(given, "approve"),
  },
  decline: {
    takes: ["PAYMENT_ID"],
    does: "refuse to pay as the buyer, in the sandbox",
    about: whichWallet,
    options: {
      code: { value: "CODE", does: "why: a result code, USER_BALANCE_NOT_ENOUGH unless said otherwise" },
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
    does: "how a payment is",
    about: whichGateway,
    options: calling,
    examples: ["tollgate inquire 20261115093000123047601530017744120"],
    run: async (given) => (await load()).inquire(given),
  },
  capture: {
    takes: ["PAYMENT_ID", "[AMOUNT]"],
    does: "take money that is held: an amount, or all that is left",
    about: whichGateway,
    options: { last: { does: "let go of the rest" }, ...calling },
    examples: [
      "tollgate capture 20261115093000123047601530017744120 120",
      "tollgate capture 20261115093000123047601530017744120 120 --last",
    ],
    run: async (given) => (await load()).capture(given),
  },
  refund: {
    takes: ["PAYMENT_ID", "[AMOUNT]"],
    does: "give a payment back: an amount, or all that is left",
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
    does: "call any operation, signed, and show its answer",
    about: `${whichGateway}\nA refusal is shown like any other answer, with exit code 1.`,
    options: calling,
    examples: [`tollgate call inquiryPayment '{"paymentId":"1"}'`, "tollgate call tollgate/inquiryEvents"],
    words: async () =>
      Object.keys((await import("../../../clients/typescript/src/generated/operations.ts")).operations),
    run: async (given) => (await load()).call(given),
  },
};
