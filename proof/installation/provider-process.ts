import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest, type RequestOptions } from "node:http";
import { join } from "node:path";
import { newPart, type Part } from "./part.ts";

/** A sandbox provider as a process, with its control interface, which has no fault proxy. */
export interface WalletProcess {
  /** The connector, which is the gateway's name for the provider. */
  readonly connector: string;
  readonly part: Part;
  readonly publicKeyFile: string;
  /** True if the provider is not idempotent: a retry takes effect a second time. */
  readonly repeatsItself: boolean;
  /** The control interface, for buyers and the test itself; returns the HTTP status. */
  control(method: "POST" | "DELETE", path: string, body?: object): Promise<number>;
  /** Calls the control interface, and returns the response with its body. */
  ask(path: string, body?: object): Promise<ControlAnswer>;
  /** Clears injected faults, except the permanent fault of a provider that is not idempotent. */
  clearFaults(): Promise<void>;
  /** Returns the settlement file in CSV that an operator downloads. */
  settlement(): Promise<string>;
  /** The provider's own journal of money, line by line. */
  effects(): readonly Readonly<Record<string, unknown>>[];
}

export interface ControlAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ProviderPlace {
  readonly connector: string;
  readonly folder: string;
  readonly port: number;
  /** Runs a command of the gateway's operator, who gives the gateway's key to the provider. */
  readonly operate: (...words: readonly string[]) => Promise<string>;
  /** The signature algorithm between provider and gateway. */
  readonly algorithm: "Ed25519" | "RSA256";
  readonly repeatsItself: boolean;
}

const controlTimeoutMs = 8_000;
const settlementTimeoutMs = 60_000;
const asOftenAsItTakes = 1_000_000_000;

export async function startWallet(place: ProviderPlace): Promise<WalletProcess> {
  const { connector, folder, port, operate, algorithm, repeatsItself } = place;
  const keyFile = join(folder, `${connector}-gateway.pem`);
  const secretFile = join(folder, `${connector}-secret`);
  const data = join(folder, connector);
  const secret = randomBytes(18).toString("hex");
  const which = algorithm === "RSA256" ? [] : ["--algorithm", algorithm];
  writeFileSync(keyFile, await operate("gateway-key", "show", ...which));
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const where = ["--port", String(port), "--data", data, "--partner-id", "tollgate"];
  const keys = ["--gateway-public-key", keyFile, "--algorithm", algorithm];
  const gaps = ["--callback-gaps-ms", "0,500,1000,2000,5000"];
  const control = ["--control-secret-file", secretFile];
  const words = ["sandbox/src/main.ts", ...where, ...keys, ...control, ...gaps];
  const part = newPart({ name: connector, words, variables: {}, ready: /^\{/ });

  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const send = (method: string, path: string, body: object, timeoutMs = controlTimeoutMs): Promise<Got> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { agent, host: "127.0.0.1", port, method, path, headers, signal };
    return exchange(options, method === "GET" ? "" : JSON.stringify(body));
  };
  // A restarted provider has lost its injected faults, so its permanent fault is injected again.
  const repeatAsEver = async (): Promise<void> => {
    if (!repeatsItself) return;
    await send("POST", "/control/faults", { kind: "not-idempotent", count: asOftenAsItTakes });
  };
  const start = async (): Promise<string> => {
    const line = await part.start();
    if (part.isRunning()) await repeatAsEver().catch(() => undefined);
    return line;
  };
  const { publicKeyFile = "" } = JSON.parse(await start()) as Record<string, string>;
  return {
    connector,
    part: { ...part, start },
    publicKeyFile,
    repeatsItself,
    control: async (method, path, body = {}) => (await send(method, path, body)).status,
    async ask(path, body = {}) {
      const { status, text } = await send("POST", path, body);
      return { status, json: JSON.parse(text) as Record<string, unknown> };
    },
    async clearFaults() {
      await send("DELETE", "/control/faults", {});
      await repeatAsEver();
    },
    settlement: async () => (await send("GET", "/control/settlement.csv", {}, settlementTimeoutMs)).text,
    effects: () => readEffects(join(data, "effects.jsonl")),
  };
}

interface Got {
  readonly status: number;
  readonly text: string;
}

function exchange(options: RequestOptions, body: string): Promise<Got> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("error", reject);
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function readEffects(file: string): readonly Readonly<Record<string, unknown>>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
