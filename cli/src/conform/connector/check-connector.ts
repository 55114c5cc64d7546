import { createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { algorithmOf } from "../../../../clients/typescript/src/signing.ts";
import type { CommandArguments } from "../../../../server/src/operators/framework/command.ts";
import type { PreparedCheck } from "../prepared-check.ts";
import { parseWholeNumber } from "../../../../server/src/operators/framework/parse-whole-number.ts";
import type { CaseGroup } from "../conformance-case.ts";
import { readListenAddress } from "../listen-address.ts";
import { createKey, readSigningKey } from "../signer.ts";
import { callbackCases, codeCases } from "./callback-cases.ts";
import { listenForCallbacks } from "./callback-listener.ts";
import { detailsCases } from "./details-cases.ts";
import { factsCases } from "./facts-cases.ts";
import { suggestConnector } from "./connector-settings.ts";
import { disputeCases } from "./dispute-cases.ts";
import { consentCases, registrationCases } from "./optional-operation-cases.ts";
import { operationsInProgressCases } from "./operations-in-progress-cases.ts";
import { nextActionCases } from "./next-action-cases.ts";
import { captureCases, refundCases } from "./refund-and-capture-cases.ts";
import { settlementFileCases } from "./settlement-file-cases.ts";
import { orderCases } from "./order-cases.ts";
import { orderDataCases } from "./order-data-cases.ts";
import { messageCases } from "./signature-cases.ts";
import { createBuyer, inquireOrder, type ProviderContext } from "./provider-context.ts";

const patienceSecondsDefault = 15;

const caseGroups: readonly CaseGroup<ProviderContext>[] = [
  messageCases,
  orderCases,
  orderDataCases,
  nextActionCases,
  callbackCases,
  detailsCases,
  refundCases,
  captureCases,
  operationsInProgressCases,
  codeCases,
  registrationCases,
  consentCases,
  disputeCases,
  factsCases,
  settlementFileCases,
];

/** Checks every operation of the provider protocol as a gateway calls it, and the provider's duties. */
export async function checkProvider(
  args: CommandArguments,
  url: URL,
): Promise<PreparedCheck<ProviderContext>> {
  const partnerId = args.value("partner-id") ?? "tollgate";
  const publicKeyFile = args.value("public-key") ?? "";
  const keyFile = args.value("private-key") ?? "tollgate-conform.pem";
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
    keyVersion: parseWholeNumber(args, "key-version", [0, 2 ** 31 - 1]) ?? 1,
  };
  const patienceMs = (parseWholeNumber(args, "patience", [1, 3_600]) ?? patienceSecondsDefault) * 1000;
  const decisionSeconds = parseWholeNumber(args, "ask", [1, 3_600]);
  const controlSecret = await readControlSecret(args);
  // The listener starts after all options are read, so that errors in the options are reported before a server listens.
  const callbacks = await listenForCallbacks({ address: readListenAddress(args), signer, providerKey });
  const methodType = args.value("method") ?? "GCASH";
  const context: ProviderContext = {
    url,
    signer,
    unknownKey: await createKey(algorithm),
    providerKey,
    methodType,
    currency: args.value("currency") ?? "EUR",
    calledOperations: new Set(),
    callbacks,
    patienceMs,
    settlementFile: args.value("settlement-file"),
    buyer: createBuyer(url, { controlSecret, decisionSeconds }, (reference) =>
      inquireOrder(context, reference),
    ),
  };
  const providerSettings = {
    url: url.href,
    partnerId,
    publicKeyFile,
    methodType,
    isSimulator: controlSecret !== undefined,
  };
  return {
    about: `The payment provider at ${url.href}, called as gateway ${partnerId}, signed with ${keyFile}.`,
    groups: caseGroups,
    context,
    conclude: (verdicts) => suggestConnector(verdicts, providerSettings, context.calledOperations),
    stop: () => callbacks.stop(),
  };
}

async function readControlSecret(args: CommandArguments): Promise<string | undefined> {
  const file = args.value("control-secret-file");
  return file === undefined ? process.env["TOLLGATE_CONTROL_SECRET"] : (await readFile(file, "utf8")).trim();
}
