import type { Commands, Options } from "../../../server/src/commands/command.ts";
import { calling } from "../merchant/calling.ts";

const load = (): Promise<typeof import("./conform.ts")> => import("./conform.ts");

const about =
  "It talks to URL as the other side would, rightly and wrongly, and says of each case whether it holds, what was found and how\n" +
  "to mend it. Exit code 1 if something is broken that must hold. docs/reference/conformance.md has more.";

const always = {
  "key-version": { value: "N", does: "of the private key, if it is not 1" },
  only: { value: "IDS", does: "only these cases, with commas" },
  json: { does: "all verdicts as one line of JSON" },
} as const satisfies Options;

/** For those who have to be paid, and who call back. */
const withBuyer = {
  ask: { value: "SECONDS", does: "ask a person to pay, and wait so long; otherwise the sandbox does it" },
  method: { value: "GCASH", does: "the payment method" },
  "listen-url": { value: "URL", does: "how this machine is reached from there, if not as 127.0.0.1" },
  "listen-port": { value: "N", does: "where this machine listens, if not at the port of --listen-url" },
  patience: { value: "SECONDS", does: "how long something is waited for, if it is not 15" },
} as const satisfies Options;

const clientId = { value: "ID", does: "the merchant's client id" } as const;
const madeKey = { value: "FILE", does: "signs what is sent; made if it is not there" } as const;

/** Commands that check from outside whether somebody keeps to the interface. */
export const conformCommands: Commands = {
  "conform receiver": {
    takes: ["URL"],
    does: "check a merchant's receiver of notifications",
    about,
    options: {
      "orders-url": { value: "URL", does: "tells how an order stands, so that effects are seen" },
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
    does: "check a gateway, ours or another that speaks this interface",
    about,
    options: {
      "client-id": clientId,
      "private-key": { value: "FILE", does: "the merchant's, signs what is sent" },
      "public-key": { value: "FILE", does: "the gateway's, with which its answers are verified" },
      live: { does: "the paths of live, without any payment" },
      ...withBuyer,
      ...always,
      folder: calling.folder,
    },
    examples: ["tollgate conform gateway http://127.0.0.1:8484"],
    run: async (given) => (await load()).conformGateway(given),
  },
  "conform wallet": {
    takes: ["URL"],
    does: "check a wallet, and print the settings with which it is connected",
    about,
    options: {
      "public-key": {
        value: "FILE",
        does: "the wallet's, with which its answers are verified",
        isRequired: true,
      },
      "partner-id": { value: "ID", does: "the gateway's partner id, if it is not tollgate" },
      "private-key": madeKey,
      "control-secret-file": { value: "FILE", does: "of the sandbox's wallet, so that orders are paid" },
      currency: { value: "EUR", does: "the currency of orders" },
      ...withBuyer,
      ...always,
    },
    examples: ["tollgate conform wallet https://wallet.example --partner-id acme --public-key wallet.pem"],
    run: async (given) => (await load()).conformWallet(given),
  },
};
