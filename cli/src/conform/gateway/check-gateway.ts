import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Given } from "../../../../server/src/operators/framework/command.ts";
import { findRunning } from "../../running.ts";
import { NotSeen } from "../case.ts";
import type { Checking } from "../checking.ts";
import { wholeNumber } from "../../../../server/src/operators/framework/whole-number.ts";
import { listenAddressIn } from "../listen-address.ts";
import { newKey } from "../signer.ts";
import { call, inquiry, type GatewayWorld, type MadePayment } from "./gateway-world.ts";
import { messages } from "./message-cases.ts";
import { listenForNotifications } from "./notification-listener.ts";
import { paidCases } from "./paid-cases.ts";
import { payments } from "./payment-cases.ts";
import { publishedForms } from "./published-forms.ts";
import { answerSigning, requestSigning } from "./signing-cases.ts";

const patienceSecondsDefault = 15;

/** Checks the statements of the interface against any gateway that serves it. */
export async function checkGateway(given: Given, url: URL): Promise<Checking<GatewayWorld>> {
  const caller = await callerIn(given);
  const { clientId, keyVersion } = caller;
  const gatewayKey = createPublicKey(await readKey(caller.publicKey, "--public-key FILE, the gateway's"));
  const privateKey = createPrivateKey(await readKey(caller.privateKey, "--private-key FILE, the merchant's"));
  const patienceMs = (wholeNumber(given, "patience", [1, 3_600]) ?? patienceSecondsDefault) * 1000;
  const askSeconds = wholeNumber(given, "ask", [1, 3_600]);
  // The listener starts after all options are read, so that errors in the options are reported before a server listens.
  const notifications = await listenForNotifications({
    address: listenAddressIn(given),
    clientId,
    gatewayKey,
  });
  const world: GatewayWorld = {
    url,
    signer: { clientId, privateKey, keyVersion },
    otherKey: await newKey(),
    gatewayKey,
    isLive: given.has("live"),
    methodType: given.value("method") ?? "GCASH",
    notifications,
    patienceMs,
    decide: (payment, decision) => decide(world, caller, askSeconds, payment, decision),
    refusals: [],
  };
  return {
    about: `The gateway at ${url.href}, called as client ${clientId}, key version ${keyVersion}, ${world.isLive ? "live" : "sandbox"}.`,
    groups: [answerSigning, requestSigning, messages, publishedForms, payments, paidCases],
    world,
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
async function callerIn(given: Given): Promise<Caller> {
  const { env } = process;
  const running = await findRunning(resolve(given.value("folder") ?? ".tollgate"));
  const key = (option: string, name: string, file: string | undefined): KeySource => {
    const named = given.value(option) ?? env[`${name}_FILE`];
    if (named !== undefined) return { file: named };
    if (env[name]) return { text: env[name] };
    return file === undefined ? undefined : { file };
  };
  const clientId = given.value("client-id") ?? env["TOLLGATE_CLIENT_ID"] ?? running?.clientId;
  if (clientId === undefined)
    throw new Error(
      "Specify the client: --client-id ID with --private-key FILE and --public-key FILE, or the variables of the libraries (TOLLGATE_CLIENT_ID, …), or start `tollgate dev` in this folder.",
    );
  return {
    clientId,
    keyVersion:
      wholeNumber(given, "key-version", [0, 2 ** 31 - 1]) ??
      (Number(env["TOLLGATE_KEY_VERSION"]) || (running?.keyVersion ?? 1)),
    privateKey: key("private-key", "TOLLGATE_PRIVATE_KEY", running?.merchantPrivateKeyFile),
    publicKey: key("public-key", "TOLLGATE_GATEWAY_PUBLIC_KEY", running?.gatewayPublicKeyFile),
    walletUrl: env["TOLLGATE_WALLET_URL"] ?? running?.walletUrl,
    controlSecret: env["TOLLGATE_CONTROL_SECRET"] ?? running?.controlSecret,
  };
}

async function readKey(source: KeySource, what: string): Promise<string> {
  if (source === undefined) throw new Error(`A key is missing: ${what}.`);
  return "text" in source ? source.text : readFile(source.file, "utf8");
}

/**
 * Decides the payment: a person on the checkout page with `--ask`, otherwise the control interface of the sandbox
 * provider.
 */
async function decide(
  world: GatewayWorld,
  { walletUrl, controlSecret }: Caller,
  askSeconds: number | undefined,
  payment: MadePayment,
  decision: "approve" | "decline",
): Promise<void> {
  if (askSeconds !== undefined) return ask(world, askSeconds, payment, decision);
  if (walletUrl === undefined || controlSecret === undefined)
    throw new NotSeen(
      "no buyer pays: set TOLLGATE_WALLET_URL and TOLLGATE_CONTROL_SECRET of the sandbox, or use --ask SECONDS to pay by hand.",
    );
  const answer = await fetch(`${walletUrl}/control/payments/${payment.paymentId}/${decision}`, {
    method: "POST",
    headers: { authorization: `Bearer ${controlSecret}` },
  });
  if (!answer.ok) throw new Error(`The sandbox provider answered ${answer.status} to ${decision}.`);
}

const endOf = { approve: "SUCCESS", decline: "FAIL" } as const;

async function ask(
  world: GatewayWorld,
  seconds: number,
  { paymentId, normalUrl }: MadePayment,
  decision: "approve" | "decline",
): Promise<void> {
  process.stderr.write(`Please ${decision} this payment within ${seconds} s: ${normalUrl}\n`);
  for (const giveUpAtMs = Date.now() + seconds * 1000; Date.now() < giveUpAtMs; await wait(500)) {
    const { paymentStatus } = (await call(world, inquiry, { paymentId })).json;
    if (paymentStatus === endOf[decision]) return;
    if (paymentStatus === "SUCCESS" || paymentStatus === "FAIL")
      throw new NotSeen(`the payment is ${paymentStatus}, although you were asked to ${decision} it.`);
  }
  throw new NotSeen(`no person did ${decision} the payment within ${seconds} s.`);
}
