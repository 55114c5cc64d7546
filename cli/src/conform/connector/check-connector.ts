import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { algorithmOf } from "../../../../clients/typescript/src/signing.ts";
import type { Given } from "../../../../server/src/operators/framework/command.ts";
import type { Checking } from "../checking.ts";
import { wholeNumber } from "../../../../server/src/operators/framework/whole-number.ts";
import { listenAddressIn } from "../listen-address.ts";
import { newKey, readSigningKey } from "../signer.ts";
import { callbackCases, codeCases } from "./callback-cases.ts";
import { listenForCallbacks } from "./callback-listener.ts";
import { conclude } from "./connector-settings.ts";
import { consents, disputes, registrations } from "./further-cases.ts";
import { captures, refunds } from "./money-cases.ts";
import { orders } from "./order-cases.ts";
import { talking } from "./talk-cases.ts";
import { buyerOf, inquired, type ProviderWorld } from "./provider-world.ts";

const patienceSecondsDefault = 15;

/** Checks every operation of the provider protocol as a gateway calls it, and the provider's duties. */
export async function checkProvider(given: Given, url: URL): Promise<Checking<ProviderWorld>> {
  const partnerId = given.value("partner-id") ?? "tollgate";
  const publicKeyFile = given.value("public-key") ?? "";
  const keyFile = given.value("private-key") ?? "tollgate-conform.pem";
  const providerKey = createPublicKey(await readFile(publicKeyFile, "utf8"));
  // A gateway signs for a provider with the algorithm of the provider's own key.
  const algorithm = algorithmOf(providerKey);
  const privateKey = await readSigningKey(
    keyFile,
    (publicFile) =>
      `Give ${publicFile} to the provider as the gateway's public key, with the partner id ${partnerId}. Then run this command again.`,
    algorithm,
  );
  if (algorithmOf(privateKey) !== algorithm)
    throw new Error(
      `${keyFile} signs with ${algorithmOf(privateKey)}, and the provider's key is ${algorithm}, with which a gateway would sign. Use another --private-key.`,
    );
  const signer = {
    clientId: partnerId,
    privateKey,
    keyVersion: wholeNumber(given, "key-version", [0, 2 ** 31 - 1]) ?? 1,
  };
  const patienceMs = (wholeNumber(given, "patience", [1, 3_600]) ?? patienceSecondsDefault) * 1000;
  const asksSeconds = wholeNumber(given, "ask", [1, 3_600]);
  const controlSecret = await controlSecretIn(given);
  // The listener starts after all options are read, so that errors in the options are reported before a server listens.
  const callbacks = await listenForCallbacks({
    address: listenAddressIn(given),
    signer,
    providerKey,
  });
  const methodType = given.value("method") ?? "GCASH";
  const world: ProviderWorld = {
    url,
    signer,
    otherKey: await newKey(algorithm),
    providerKey,
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
    about: `The payment provider at ${url.href}, called as gateway ${partnerId}, signed with ${keyFile}.`,
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
