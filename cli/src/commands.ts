import type { Commands } from "../../server/src/commands/command.ts";

/** What every command has that calls a gateway. */
const calling = {
  folder: { value: "FOLDER", does: "the folder of a running `tollgate dev`, if it is not .tollgate" },
  json: { does: "the answer as one line of JSON" },
} as const;

const settingsOfCalls =
  "It calls the gateway that TOLLGATE_BASE_URL, TOLLGATE_CLIENT_ID, TOLLGATE_PRIVATE_KEY (or …_FILE) and\n" +
  "TOLLGATE_GATEWAY_PUBLIC_KEY (or …_FILE) name; without them, the one that `tollgate dev` runs in this folder.";

const paymentCommands = (): Promise<typeof import("./merchant/payment-commands.ts")> =>
  import("./merchant/payment-commands.ts");

/**
 * All commands of `tollgate`. Each is loaded when it is run, so that `--help` does not pay for the others. The order is
 * that of the help.
 */
export const commands: Commands = {
  dev: {
    does: "a whole gateway on this machine: database, gateway, worker and a wallet to pay with",
    about:
      "Everything is real, and bound to this machine. Address, client id, keys and payments are kept in .tollgate of the\n" +
      "current folder: the next start finds them as they were. The settings of your program are written to .env.",
    options: {
      port: { value: "N", does: "where the gateway listens; the first time 8484, or the next that is free" },
      "https-port": { value: "N", does: "serve https as well, with a certificate made for it" },
      folder: { value: "FOLDER", does: "where everything is kept, instead of .tollgate" },
      ephemeral: { does: "keep nothing: free ports, new keys, and all of it gone at the end" },
      seed: { does: "begin with a payment in each state: open, paid, refunded, held, disputed and so on" },
      lan: { does: "let phones in the same network reach it; otherwise nobody but this machine does" },
      reset: { does: "forget what was kept, and start anew" },
      postgres: { value: "WHICH", does: "the folder of PostgreSQL's programs, or: embedded" },
      "until-stdin-closes": { does: "leave when standard input ends: for programs that start it" },
      json: { does: "one line of JSON on standard output when it is ready, and nothing else" },
    },
    examples: ["tollgate dev", "tollgate dev --port 9000", "tollgate dev --ephemeral --json"],
    run: async (given) => (await import("./dev/dev.ts")).dev(given),
  },
  init: {
    takes: ["LANGUAGE"],
    does: "write a shop in one file that pays, is told and refunds: node, java, php or python",
    about:
      "It writes into the current folder, beside the file the client library, and over nothing that is there. The file\n" +
      "reads the settings that `tollgate dev` writes in the same folder. The last lines say how to run it.",
    options: {},
    examples: ["tollgate init node", "tollgate init python"],
    run: async (given) => (await import("./init/init.ts")).init(given),
  },
  pay: {
    takes: ["[AMOUNT]"],
    does: "start a payment, of 12.50 unless said otherwise",
    about: settingsOfCalls,
    options: {
      currency: { value: "EUR", does: "the currency of the amount" },
      method: { value: "GCASH", does: "the payment method" },
      "notify-url": {
        value: "URL",
        does: "where its end is told; on this machine works as well; otherwise the demo shop",
      },
      "redirect-url": { value: "URL", does: "where the buyer goes afterwards; otherwise the demo shop" },
      ...calling,
    },
    examples: ["tollgate pay", "tollgate pay 9.90 --currency USD --notify-url http://127.0.0.1:3000/notify"],
    run: async (given) => (await paymentCommands()).pay(given),
  },
  approve: {
    takes: ["PAYMENT_ID"],
    does: "pay as the buyer, in the sandbox",
    options: calling,
    examples: ["tollgate approve 20261115093000123047601530017744120"],
    run: async (given) => (await paymentCommands()).decide(given, "approve"),
  },
  decline: {
    takes: ["PAYMENT_ID"],
    does: "refuse to pay as the buyer, in the sandbox",
    options: calling,
    examples: ["tollgate decline 20261115093000123047601530017744120"],
    run: async (given) => (await paymentCommands()).decide(given, "decline"),
  },
  inquire: {
    takes: ["PAYMENT_ID"],
    does: "how a payment is",
    about: settingsOfCalls,
    options: calling,
    examples: ["tollgate inquire 20261115093000123047601530017744120"],
    run: async (given) => (await paymentCommands()).inquire(given),
  },
  refund: {
    takes: ["PAYMENT_ID", "[AMOUNT]"],
    does: "give a payment back, or a part of it",
    about: settingsOfCalls,
    options: calling,
    examples: [
      "tollgate refund 20261115093000123047601530017744120",
      "tollgate refund 20261115093000123047601530017744120 2.50",
    ],
    run: async (given) => (await paymentCommands()).refund(given),
  },
  call: {
    takes: ["OPERATION", "[JSON]"],
    does: "call any operation, signed, and show its answer",
    about: settingsOfCalls,
    options: calling,
    examples: [`tollgate call inquiryPayment '{"paymentId":"1"}'`, "tollgate call tollgate/inquiryEvents"],
    run: async (given) => (await paymentCommands()).call(given),
  },
  listen: {
    does: "show what the merchant is told, as it happens",
    about: settingsOfCalls,
    options: { ...calling, json: { does: "each event as one line of JSON" } },
    examples: ["tollgate listen", "tollgate listen --json"],
    run: async (given) => (await import("./merchant/listen.ts")).listen(given),
  },
  conform: {
    takes: ["WHAT", "URL"],
    does: "check a receiver of notifications, a gateway or a wallet: WHAT is receiver, gateway or wallet",
    about:
      "It talks to URL as the other side would, rightly and wrongly, and says of each case whether it holds, what was found and how\n" +
      "to mend it. Exit code 1 if something is broken that must hold. docs/reference/conformance.md has more.",
    options: {
      "client-id": { value: "ID", does: "receiver, gateway: the merchant's client id" },
      "partner-id": { value: "ID", does: "wallet: the gateway's partner id, if it is not tollgate" },
      "private-key": {
        value: "FILE",
        does: "signs what is sent; made for receivers and wallets if it is not there",
      },
      "public-key": { value: "FILE", does: "gateway, wallet: with which its answers are verified" },
      "key-version": { value: "N", does: "of the private key, if it is not 1" },
      "orders-url": { value: "URL", does: "receiver: tells how an order stands, so that effects are seen" },
      "control-secret-file": { value: "FILE", does: "wallet: of the sandbox's, so that orders are paid" },
      ask: { value: "SECONDS", does: "gateway, wallet: ask a person to pay, and wait so long" },
      method: { value: "GCASH", does: "gateway, wallet: the payment method" },
      currency: { value: "EUR", does: "wallet: the currency of orders" },
      "listen-url": { value: "URL", does: "how gateway or wallet reach this machine, if not as 127.0.0.1" },
      "listen-port": { value: "N", does: "where this machine listens for them" },
      patience: { value: "SECONDS", does: "how long something is waited for, if it is not 15" },
      live: { does: "gateway: the paths of live, without any payment" },
      only: { value: "IDS", does: "only these cases, with commas" },
      folder: calling.folder,
      json: { does: "all verdicts as one line of JSON" },
    },
    examples: [
      "tollgate conform receiver http://127.0.0.1:3000/notify --orders-url http://127.0.0.1:3000/orders",
      "tollgate conform gateway http://127.0.0.1:8484",
      "tollgate conform wallet https://wallet.example --partner-id acme --public-key wallet.pem",
    ],
    run: async (given) => (await import("./conform/conform.ts")).conform(given),
  },
  universe: {
    takes: ["new|close|list", "[CLIENT_ID]"],
    does: "a merchant of its own for a test run, with its own clock and data",
    about:
      "new makes a key pair and prints the settings of the client libraries, or .env; close ends it at once, for good.\n" +
      "It calls the sandbox that TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET name; without them, the one that\n" +
      "`tollgate dev` runs in this folder.",
    options: {
      name: { value: "NAME", does: "of a new one, as buyers see it" },
      "public-key": { value: "FILE", does: "of a new one, instead of a key pair that is made" },
      minutes: { value: "N", does: "closes a new one by itself after so long" },
      ...calling,
    },
    examples: [
      'tollgate universe new --name "Coffee Lab"',
      "tollgate universe new --public-key merchant-public.pem --minutes 10 --json",
      "tollgate universe close SANDBOX_U42_9F86D081884C",
      "tollgate universe list",
    ],
    run: async (given) => (await import("./merchant/universe.ts")).universe(given),
  },
  explain: {
    takes: ["CODE"],
    does: "what a result code means, and what to do about it",
    options: {},
    examples: ["tollgate explain INVALID_SIGNATURE"],
    run: async ({ words: [code = ""] }) => {
      const { explain } = await import("./merchant/explain.ts");
      process.stdout.write(explain(code));
    },
  },
};
