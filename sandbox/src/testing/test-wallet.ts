import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { signatureFor, signatureHolds } from "../../../clients/typescript/src/signing.ts";
import type { Line } from "../wallet/effect.ts";
import { isFresh, wireTime } from "../wallet/wire-time.ts";

export const partnerId = "PARTNER_TEST";

/** The gateway's key. */
export const gateway = newGatewayKey();

export interface GatewayKey {
  readonly privateKey: KeyObject;
  readonly publicPem: string;
}

export function newGatewayKey(algorithm: "Ed25519" | "RSA256" = "Ed25519"): GatewayKey {
  const { privateKey, publicKey } =
    algorithm === "Ed25519"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { privateKey, publicPem: publicKey.export({ format: "pem", type: "spki" }).toString() };
}

/** A wallet that runs as a separate process. */
export interface TestWallet {
  readonly folder: string;
  readonly ready: Ready;
  readonly process: ChildProcess;
  /** Resolves with the exit code, or undefined if a signal ended it. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number | undefined>;
}

interface Ready {
  readonly walletUrl: string;
  readonly cardUrl: string;
  readonly publicKeyFile: string;
  readonly controlSecret: string;
  readonly pid: number;
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-wallet-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "gateway.pem"), gateway.publicPem);
  return folder;
}

export async function startWallet(folder = newFolder(), ...more: readonly string[]): Promise<TestWallet> {
  const main = join(import.meta.dirname, "../main.ts");
  const flags = [
    "--data",
    folder,
    "--partner-id",
    partnerId,
    "--gateway-public-key",
    join(folder, "gateway.pem"),
  ];
  const child = spawn(process.execPath, [main, ...flags, "--callback-gaps-ms", "0,50,100", ...more], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.on("data", (text: Buffer) => (complaints += text.toString("utf8")));
  const exited = once(child, "exit") as Promise<[number | null]>;
  const line = once(createInterface(child.stdout), "line") as Promise<[string]>;
  const first = await Promise.race([line, exited]);
  assert.equal(typeof first[0], "string", `The wallet did not start. ${complaints}`);
  const end = async (signal: "SIGTERM" | "SIGKILL"): Promise<number | undefined> => {
    child.kill(signal);
    const [code] = await exited;
    return code ?? undefined;
  };
  after(() => end("SIGKILL"));
  return { folder, ready: JSON.parse(String(first[0])) as Ready, process: child, end };
}

export interface ProviderAnswer {
  readonly status: number;
  readonly result: Readonly<Record<string, string>>;
  readonly order: Readonly<Record<string, unknown>>;
  readonly capture: Readonly<Record<string, unknown>>;
  readonly refund: Readonly<Record<string, unknown>>;
  readonly registration: Readonly<Record<string, unknown>>;
  readonly authorization: Readonly<Record<string, unknown>>;
  readonly agreement: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Sent {
  readonly time?: string;
  readonly clientId?: string;
  readonly privateKey?: KeyObject;
  readonly keyVersion?: number;
  readonly method?: string;
  /** The algorithm that the signature header states, if it differs from the key's algorithm. */
  readonly algorithm?: string;
}

/** A signed call of an operation, or of a path that begins with a slash. It fails if the wallet's signature of the response is not valid. */
export async function call(
  { ready }: TestWallet,
  verb: string,
  fields: object | string,
  sent: Sent = {},
): Promise<ProviderAnswer> {
  const { time = wireTime(Date.now()), clientId = partnerId, method = "POST" } = sent;
  const operation = verb.includes("/") ? verb : `orders/${verb}`;
  const path = verb.startsWith("/") ? verb : `/provider/1.1/${operation}`;
  const body = typeof fields === "string" ? fields : JSON.stringify(fields);
  const message = { method, path, clientId, time, body };
  const requestSignature = signatureFor(message, sent.privateKey ?? gateway.privateKey, sent.keyVersion ?? 1);
  const signature = sent.algorithm
    ? requestSignature.replace(/(?<=algorithm=)\w+/, sent.algorithm)
    : requestSignature;
  const response = await fetch(ready.walletUrl + path, {
    method,
    ...(method === "POST" && { body }),
    headers: { "client-id": clientId, "request-time": time, signature },
  });
  const text = await response.text();
  const responseTime = response.headers.get("response-time") ?? "";
  const header = response.headers.get("signature") ?? "";
  const signed = { ...message, clientId: partnerId, time: responseTime, body: text };
  assert.ok(signatureHolds(signed, header, createPublicKey(readFileSync(ready.publicKeyFile))), "unsigned");
  assert.ok(isFresh(responseTime, Date.now()));
  return { status: response.status, ...(JSON.parse(text) as Omit<ProviderAnswer, "status">) };
}

/** The address of the buyer's page of an open order. */
export function pageOf(order: ProviderAnswer["order"]): string {
  return String((order["nextAction"] as { readonly url?: unknown }).url);
}

/** The path of the page of an order in any state, as the journal has it. */
export function pagePathOf(
  wallet: Pick<TestWallet, "folder">,
  { reference }: ProviderAnswer["order"],
): string {
  const line = effects(wallet).find((each) => each.kind === "submit" && each.reference === reference);
  assert(line?.kind === "submit" && line.order);
  return `/pay/${line.order.token}`;
}

export interface ControlAnswer {
  readonly status: number;
  readonly json: {
    readonly problem?: string;
    readonly order?: Readonly<Record<string, unknown>>;
    readonly capture?: Readonly<Record<string, unknown>>;
    readonly refund?: Readonly<Record<string, unknown>>;
    readonly dispute?: Readonly<Record<string, unknown>>;
    readonly registration?: Readonly<Record<string, unknown>>;
    readonly planned?: string;
    readonly redirectUrl?: string;
    readonly orders?: readonly Readonly<Record<string, unknown>>[];
    readonly effects?: readonly Line[];
    readonly next?: number;
    readonly faults?: readonly object[];
    readonly paymentCode?: string;
    readonly expiryTime?: string;
  };
}

export async function control(
  { ready }: TestWallet,
  command: string,
  body?: object,
  authorization = `Bearer ${ready.controlSecret}`,
): Promise<ControlAnswer> {
  const [method = "", path = ""] = command.split(" ");
  const response = await fetch(`${ready.walletUrl}/control/${path}`, {
    method,
    headers: { authorization },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as ControlAnswer["json"] };
}

/** The journal as it is on disk. */
export function effects({ folder }: Pick<TestWallet, "folder">): readonly Line[] {
  const lines = readFileSync(join(folder, "effects.jsonl"), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

let orderCount = 0;

/** An order for one coffee, with new ids. */
export function newOrder(more: Readonly<Record<string, unknown>> = {}): OrderFields {
  orderCount += 1;
  return {
    reference: `ref-${orderCount}`,
    paymentId: `payment-${orderCount}`,
    merchantId: "merchant-1",
    merchantName: "Coffee Lab",
    description: "One flat white",
    amount: { currency: "EUR", value: "450" },
    paymentMethodType: "WALLET",
    notAfter: wireTime(Date.now() + 60_000),
    expiryTime: wireTime(Date.now() + 600_000),
    callbackUrl: "http://127.0.0.1:9/nobody-listens",
    ...more,
  };
}

interface OrderFields {
  readonly reference: string;
  readonly paymentId: string;
  readonly [field: string]: unknown;
}

/** Issues a payment code, as the buyer's wallet shows it. */
export async function newCode(wallet: TestWallet, options: object = {}): Promise<string> {
  const { status, json } = await control(wallet, "POST payment-codes", options);
  assert.equal(status, 200, json.problem);
  return String(json.paymentCode);
}

/** Submits a new order with the code; returns its fields and the wallet's response. */
export async function submitWithCode(
  wallet: TestWallet,
  paymentCode: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Pick<ProviderAnswer, "order" | "result"> & { readonly fields: OrderFields }> {
  const fields = newOrder({ ...more, paymentCode });
  const { order, result } = await call(wallet, "submit", fields);
  return { fields, order, result };
}
