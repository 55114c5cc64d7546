import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { CommandArguments } from "../../../../server/src/operators/framework/command.ts";
import { findRunning } from "../../running-file.ts";
import { NotObservable } from "../conformance-case.ts";
import type { PreparedCheck } from "../prepared-check.ts";
import { parseWholeNumber } from "../../../../server/src/operators/framework/parse-whole-number.ts";
import { readListenAddress } from "../listen-address.ts";
import { createKey } from "../signer.ts";
import { call, inquiry, type GatewayContext, type CreatedPayment } from "./gateway-context.ts";
import { messageCases } from "./message-cases.ts";
import { listenForNotifications } from "./notification-listener.ts";
import { paidCases } from "./paid-cases.ts";
import { paymentCases } from "./payment-cases.ts";
import { publishedFormCases } from "./published-forms.ts";
import { responseSignatureCases, requestSignatureCases } from "./signing-cases.ts";

const patienceSecondsDefault = 15;

/** Checks the statements of the interface against any gateway that serves it. */
export async function checkGateway(args: CommandArguments, url: URL): Promise<PreparedCheck<GatewayContext>> {
  const caller = await readCaller(args);
  const { clientId, keyVersion } = caller;
  const gatewayKey = createPublicKey(await readKey(caller.publicKey, "--public-key FILE, the gateway's"));
  const privateKey = createPrivateKey(await readKey(caller.privateKey, "--private-key FILE, the merchant's"));
  const patienceMs = (parseWholeNumber(args, "patience", [1, 3_600]) ?? patienceSecondsDefault) * 1000;
  const decisionSeconds = parseWholeNumber(args, "ask", [1, 3_600]);
  // The listener starts after all options are read, so that errors in the options are reported before a server listens.
  const notifications = await listenForNotifications({
    address: readListenAddress(args),
    clientId,
    gatewayKey,
  });
  const context: GatewayContext = {
    url,
    signer: { clientId, privateKey, keyVersion },
    unknownKey: await createKey(),
    gatewayKey,
    isLive: args.has("live"),
    methodType: args.value("method") ?? "GCASH",
    notifications,
    patienceMs,
    decide: (payment, decision) => decide(context, caller, decisionSeconds, payment, decision),
    refusals: [],
  };
  return {
    about: `The gateway at ${url.href}, called as client ${clientId}, key version ${keyVersion}, ${context.isLive ? "live" : "sandbox"}.`,
    groups: [
      responseSignatureCases,
      requestSignatureCases,
      messageCases,
      publishedFormCases,
      paymentCases,
      paidCases,
    ],
    context,
    stop: () => notifications.stop(),
  };
}

interface Caller {
  readonly clientId: string;
  readonly keyVersion: number;
  /** A PEM, or the file that contains it. */
  readonly privateKey: KeySource;
  readonly publicKey: KeySource;
  readonly walletUrl: string | undefined;
  readonly controlSecret: string | undefined;
}

type KeySource = { readonly text: string } | { readonly file: string } | undefined;

/**
 * Reads the caller from the options, from the libraries' environment variables, or from the `tollgate dev` that runs in
 * the folder.
 */
async function readCaller(args: CommandArguments): Promise<Caller> {
  const { env } = process;
  const running = await findRunning(resolve(args.value("folder") ?? ".tollgate"));
  const findKeySource = (option: string, name: string, file: string | undefined): KeySource => {
    const givenFile = args.value(option) ?? env[`${name}_FILE`];
    if (givenFile !== undefined) return { file: givenFile };
    if (env[name]) return { text: env[name] };
    return file === undefined ? undefined : { file };
  };
  const clientId = args.value("client-id") ?? env["TOLLGATE_CLIENT_ID"] ?? running?.clientId;
  if (clientId === undefined)
    throw new Error(
      "Specify the client: --client-id ID with --private-key FILE and --public-key FILE, or the variables of the libraries (TOLLGATE_CLIENT_ID, …), or start `tollgate dev` in this folder.",
    );
  return {
    clientId,
    keyVersion:
      parseWholeNumber(args, "key-version", [0, 2 ** 31 - 1]) ??
      (Number(env["TOLLGATE_KEY_VERSION"]) || (running?.keyVersion ?? 1)),
    privateKey: findKeySource("private-key", "TOLLGATE_PRIVATE_KEY", running?.merchantPrivateKeyFile),
    publicKey: findKeySource("public-key", "TOLLGATE_GATEWAY_PUBLIC_KEY", running?.gatewayPublicKeyFile),
    walletUrl: env["TOLLGATE_WALLET_URL"] ?? running?.walletUrl,
    controlSecret: env["TOLLGATE_CONTROL_SECRET"] ?? running?.controlSecret,
  };
}

async function readKey(source: KeySource, description: string): Promise<string> {
  if (source === undefined) throw new Error(`A key is missing: ${description}.`);
  return "text" in source ? source.text : readFile(source.file, "utf8");
}

/**
 * Decides the payment: a person on the checkout page with `--ask`, otherwise the control interface of the sandbox
 * provider.
 */
async function decide(
  context: GatewayContext,
  { walletUrl, controlSecret }: Caller,
  decisionSeconds: number | undefined,
  payment: CreatedPayment,
  decision: "approve" | "decline",
): Promise<void> {
  if (decisionSeconds !== undefined) return waitForDecision(context, decisionSeconds, payment, decision);
  if (walletUrl === undefined || controlSecret === undefined)
    throw new NotObservable(
      "no buyer pays: set TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET of the sandbox, or use --ask SECONDS to pay by hand.",
    );
  const answer = await fetch(`${walletUrl}/control/payments/${payment.paymentId}/${decision}`, {
    method: "POST",
    headers: { authorization: `Bearer ${controlSecret}` },
  });
  if (!answer.ok) throw new Error(`The sandbox provider answered ${answer.status} to ${decision}.`);
}

const finalStatus = { approve: "SUCCESS", decline: "FAIL" } as const;

async function waitForDecision(
  context: GatewayContext,
  seconds: number,
  { paymentId, normalUrl }: CreatedPayment,
  decision: "approve" | "decline",
): Promise<void> {
  process.stderr.write(`Please ${decision} this payment within ${seconds} s: ${normalUrl}\n`);
  for (const giveUpAtMs = Date.now() + seconds * 1000; Date.now() < giveUpAtMs; await wait(500)) {
    const { paymentStatus } = (await call(context, inquiry, { paymentId })).json;
    if (paymentStatus === finalStatus[decision]) return;
    if (paymentStatus === "SUCCESS" || paymentStatus === "FAIL")
      throw new NotObservable(`the payment is ${paymentStatus}, although you were asked to ${decision} it.`);
  }
  throw new NotObservable(`no person did ${decision} the payment within ${seconds} s.`);
}
