import type { Commands, Options } from "../../../server/src/operators/framework/command.ts";
import { calling } from "../merchant/calling.ts";

const load = (): Promise<typeof import("./conform.ts")> => import("./conform.ts");

const about =
  "Sends valid and invalid messages to URL, and prints for each case whether it holds, what was found and how to fix it.\n" +
  "Exit code 1 if a required case is broken. docs/reference/conformance.md has more.";

const always = {
  "key-version": { value: "N", does: "version of the private key (default 1)" },
  only: { value: "IDS", does: "run only these cases, separated by commas" },
  json: { does: "print all verdicts as one line of JSON" },
} as const satisfies Options;

/** Options for systems that need a payment by a buyer and that send callbacks. */
const withBuyer = {
  ask: { value: "SECONDS", does: "let a person pay within this time, instead of the sandbox" },
  method: { value: "GCASH", does: "payment method of the test payments" },
  "listen-url": {
    value: "URL",
    does: "address at which the other side reaches this machine (default 127.0.0.1)",
  },
  "listen-port": {
    value: "N",
    does: "port on which this command listens (default: the port of --listen-url)",
  },
  patience: { value: "SECONDS", does: "how long to wait for a state or a message (default 15)" },
} as const satisfies Options;

const clientId = { value: "ID", does: "the merchant's client id" } as const;
const madeKey = {
  value: "FILE",
  does: "private key that signs the requests; created if the file is missing",
} as const;

/** Commands that check from outside whether another system conforms to the interface. */
export const conformCommands: Commands = {
  "conform receiver": {
    takes: ["URL"],
    does: "check a merchant's webhook receiver",
    about,
    options: {
      "orders-url": {
        value: "URL",
        does: "address that returns an order's status, so that effects can be checked",
      },
      "client-id": clientId,
      "private-key": madeKey,
      ...always,
      folder: calling.folder,
    },
    examples: [
      "tollgate conform receiver http://127.0.0.1:3000/notify --orders-url http://127.0.0.1:3000/orders",
    ],
    run: async (given) => (await load()).conformReceiver(given),
  },
  "conform gateway": {
    takes: ["URL"],
    does: "check a gateway that serves this interface, ours or another",
    about,
    options: {
      "client-id": clientId,
      "private-key": { value: "FILE", does: "the merchant's private key, which signs the requests" },
      "public-key": { value: "FILE", does: "the gateway's public key, which verifies its responses" },
      live: { does: "use the paths of live and create no payment" },
      ...withBuyer,
      ...always,
      folder: calling.folder,
    },
    examples: ["tollgate conform gateway http://127.0.0.1:8484"],
    run: async (given) => (await load()).conformGateway(given),
  },
  "conform connector": {
    takes: ["URL"],
    does: "check a payment provider, and print the settings of its connector",
    about,
    options: {
      "public-key": {
        value: "FILE",
        does: "the provider's public key, which verifies its responses",
        isRequired: true,
      },
      "partner-id": { value: "ID", does: "the gateway's partner id (default tollgate)" },
      "private-key": madeKey,
      "control-secret-file": {
        value: "FILE",
        does: "control secret of the sandbox provider, with which the command pays orders",
      },
      currency: { value: "EUR", does: "currency of the orders" },
      ...withBuyer,
      ...always,
    },
    examples: [
      "tollgate conform connector https://wallet.example --partner-id acme --public-key provider.pem",
    ],
    run: async (given) => (await load()).conformConnector(given),
  },
};
