import type { Commands, Options } from "../../../server/src/operators/framework/command.ts";
import { commonOptions } from "../merchant/common-options.ts";

const load = (): Promise<typeof import("./conform.ts")> => import("./conform.ts");

const aboutConform =
  "Sends valid and invalid messages to URL, and prints for each case whether it holds, what was found and how to fix it.\n" +
  "Exit code 1 if a required case is broken. docs/reference/conformance.md has more.";

const conformOptions = {
  "key-version": { value: "N", summary: "version of the private key (default 1)" },
  only: { value: "IDS", summary: "run only these cases, separated by commas" },
  json: { summary: "print all verdicts as one line of JSON" },
} as const satisfies Options;

/** Options for systems that need a payment by a buyer and that send callbacks. */
const buyerOptions = {
  ask: { value: "SECONDS", summary: "let a person pay within this time, instead of the sandbox" },
  method: { value: "GCASH", summary: "payment method of the test payments" },
  "listen-url": {
    value: "URL",
    summary: "address at which the other side reaches this machine (default 127.0.0.1)",
  },
  "listen-port": {
    value: "N",
    summary: "port on which this command listens (default: the port of --listen-url)",
  },
  patience: { value: "SECONDS", summary: "how long to wait for a state or a message (default 15)" },
} as const satisfies Options;

const clientIdOption = { value: "ID", summary: "the merchant's client id" } as const;
const signingKeyOption = {
  value: "FILE",
  summary: "private key that signs the requests; created if the file is missing",
} as const;

/** Commands that check from outside whether another system conforms to the interface. */
export const conformCommands: Commands = {
  "conform receiver": {
    positionals: ["URL"],
    summary: "check a merchant's webhook receiver",
    description: aboutConform,
    options: {
      "orders-url": {
        value: "URL",
        summary: "address that returns an order's status, so that effects can be checked",
      },
      "client-id": clientIdOption,
      "private-key": signingKeyOption,
      ...conformOptions,
      folder: commonOptions.folder,
    },
    examples: [
      "tollgate conform receiver http://127.0.0.1:3000/notify --orders-url http://127.0.0.1:3000/orders",
    ],
    run: async (args) => (await load()).conformReceiver(args),
  },
  "conform gateway": {
    positionals: ["URL"],
    summary: "check a gateway that serves this interface, ours or another",
    description: aboutConform,
    options: {
      "client-id": clientIdOption,
      "private-key": { value: "FILE", summary: "the merchant's private key, which signs the requests" },
      "public-key": { value: "FILE", summary: "the gateway's public key, which verifies its responses" },
      live: { summary: "use the paths of live and create no payment" },
      ...buyerOptions,
      ...conformOptions,
      folder: commonOptions.folder,
    },
    examples: ["tollgate conform gateway http://127.0.0.1:8484"],
    run: async (args) => (await load()).conformGateway(args),
  },
  "conform connector": {
    positionals: ["URL"],
    summary: "check a payment provider, and print the settings of its connector",
    description: aboutConform,
    options: {
      "public-key": {
        value: "FILE",
        summary: "the provider's public key, which verifies its responses",
        isRequired: true,
      },
      "partner-id": { value: "ID", summary: "the gateway's partner id (default tollgate)" },
      "private-key": signingKeyOption,
      "control-secret-file": {
        value: "FILE",
        summary: "control secret of the sandbox provider, with which the command pays orders",
      },
      currency: { value: "EUR", summary: "currency of the orders" },
      "settlement-file": { value: "FILE", summary: "settlement file of the provider, to be checked as well" },
      ...buyerOptions,
      ...conformOptions,
    },
    examples: [
      "tollgate conform connector https://wallet.example --partner-id acme --public-key provider.pem",
    ],
    run: async (args) => (await load()).conformConnector(args),
  },
};
