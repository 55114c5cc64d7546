import type { Commands } from "../../../server/src/commands/command.ts";
import { calling } from "../merchant/calling.ts";

/** The command that checks from outside whether somebody keeps to the interface. */
export const conformCommands: Commands = {
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
    run: async (given) => (await import("./conform.ts")).conform(given),
  },
};
