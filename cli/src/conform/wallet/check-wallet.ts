import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { algorithmOf } from "../../../../clients/typescript/src/signing.ts";
import type { Given } from "../../../../server/src/commands/command.ts";
import type { Checking } from "../checking.ts";
import { wholeNumber } from "../../../../server/src/commands/whole-number.ts";
import { listenAddressIn } from "../listen-address.ts";
import { newKey, readSigningKey } from "../signer.ts";
import { callbackCases, codeCases } from "./callback-cases.ts";
import { listenForCallbacks } from "./callback-listener.ts";
import { conclude } from "./connector-settings.ts";
import { consents, disputes, registrations } from "./further-cases.ts";
import { captures, refunds } from "./money-cases.ts";
import { orders } from "./order-cases.ts";
import { talking } from "./talk-cases.ts";
import { buyerOf, inquired, type WalletWorld } from "./wallet-world.ts";

const patienceSecondsDefault = 15;

/** Every call of the wallet protocol, as a gateway makes them, and what a wallet owes it. */
export async function checkWallet(given: Given, url: URL): Promise<Checking<WalletWorld>> {
  const partnerId = given.value("partner-id") ?? "tollgate";
  const publicKeyFile = given.value("public-key") ?? "";
  const keyFile = given.value("private-key") ?? "tollgate-conform.pem";
  const walletKey = createPublicKey(await readFile(publicKeyFile, "utf8"));
  // A gateway signs for a wallet by the algorithm of the wallet's own key.
  const algorithm = algorithmOf(walletKey);
  const privateKey = await readSigningKey(
    keyFile,
    (publicFile) =>
      `Give ${publicFile} to the wallet as the gateway's public key, with the partner id ${partnerId}; then run this again.`,
    algorithm,
  );
  if (algorithmOf(privateKey) !== algorithm)
    throw new Error(
      `${keyFile} signs by ${algorithmOf(privateKey)}, and the wallet's key is ${algorithm}, by which a gateway would sign: name another --private-key.`,
    );
  const signer = {
    clientId: partnerId,
    privateKey,
    keyVersion: wholeNumber(given, "key-version", [0, 2 ** 31 - 1]) ?? 1,
  };
  const patienceMs = (wholeNumber(given, "patience", [1, 3_600]) ?? patienceSecondsDefault) * 1000;
  const asksSeconds = wholeNumber(given, "ask", [1, 3_600]);
  const controlSecret = await controlSecretIn(given);
  // Last: what else is wrong with the options is told before anything is open.
  const callbacks = await listenForCallbacks({
    address: listenAddressIn(given),
    signer,
    walletKey,
  });
  const methodType = given.value("method") ?? "GCASH";
  const world: WalletWorld = {
    url,
    signer,
    stranger: await newKey(algorithm),
    walletKey,
    methodType,
    currency: given.value("currency") ?? "EUR",
    called: new Set(),
    callbacks,
    patienceMs,
    buyer: buyerOf(url, { controlSecret, asksSeconds }, (reference) => inquired(world, reference)),
  };
  const place = {
    url: url.href,
    partnerId,
    publicKeyFile,
    methodType,
    isSimulator: controlSecret !== undefined,
  };
  return {
    about: `The wallet at ${url.href}, called as gateway ${partnerId}, signed with ${keyFile}.`,
    groups: [talking, orders, callbackCases, refunds, captures, codeCases, registrations, consents, disputes],
    world,
    conclude: (verdicts) => conclude(verdicts, place, world.called),
    stop: () => callbacks.stop(),
  };
}

async function controlSecretIn(given: Given): Promise<string | undefined> {
  const file = given.value("control-secret-file");
  return file === undefined ? process.env["TOLLGATE_CONTROL_SECRET"] : (await readFile(file, "utf8")).trim();
}
