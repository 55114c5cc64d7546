import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest, type RequestOptions } from "node:http";
import { join } from "node:path";
import { newManagedProcess, type ManagedProcess } from "./managed-process.ts";

/** A sandbox provider as a process, with its control interface, which has no fault proxy. */
export interface ProviderProcess {
  /** The connector, which is the gateway's name for the provider. */
  readonly connector: string;
  readonly process: ManagedProcess;
  readonly publicKeyFile: string;
  /** True if the provider is not idempotent: a retry takes effect a second time. */
  readonly duplicatesRetries: boolean;
  /** The control interface, for buyers and the test itself; returns the HTTP status. */
  control(method: "POST" | "DELETE", path: string, body?: object): Promise<number>;
  /** Calls the control interface, and returns the response with its body. */
  callControl(path: string, body?: object): Promise<ControlAnswer>;
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

export interface ProviderOptions {
  readonly connector: string;
  readonly folder: string;
  readonly port: number;
  /** Runs a command of the gateway's operator, who gives the gateway's key to the provider. */
  readonly operate: (...args: readonly string[]) => Promise<string>;
  /** The signature algorithm between provider and gateway. */
  readonly algorithm: "Ed25519" | "RSA256";
  readonly duplicatesRetries: boolean;
}

const controlTimeoutMs = 8_000;
const settlementTimeoutMs = 60_000;
const unlimitedCount = 1_000_000_000;

export async function startProvider(options: ProviderOptions): Promise<ProviderProcess> {
  const { connector, folder, port, operate, algorithm, duplicatesRetries } = options;
  const keyFile = join(folder, `${connector}-gateway.pem`);
  const secretFile = join(folder, `${connector}-secret`);
  const data = join(folder, connector);
  const secret = randomBytes(18).toString("hex");
  const algorithmArgs = algorithm === "RSA256" ? [] : ["--algorithm", algorithm];
  writeFileSync(keyFile, await operate("gateway-key", "show", ...algorithmArgs));
  writeFileSync(secretFile, secret, { mode: 0o600 });
  const addressArgs = ["--port", String(port), "--data", data, "--partner-id", "tollgate"];
  const keyArgs = ["--gateway-public-key", keyFile, "--algorithm", algorithm];
  const gapArgs = ["--callback-gaps-ms", "0,500,1000,2000,5000"];
  const controlArgs = ["--control-secret-file", secretFile];
  const args = ["sandbox/src/main.ts", ...addressArgs, ...keyArgs, ...controlArgs, ...gapArgs];
  const child = newManagedProcess({ name: connector, args, variables: {}, ready: /^\{/ });

  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const send = (
    method: string,
    path: string,
    body: object,
    timeoutMs = controlTimeoutMs,
  ): Promise<HttpResponse> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const requestOptions = { agent, host: "127.0.0.1", port, method, path, headers, signal };
    return sendHttp(requestOptions, method === "GET" ? "" : JSON.stringify(body));
  };
  // A restarted provider has lost its injected faults, so its permanent fault is injected again.
  const injectPermanentFault = async (): Promise<void> => {
    if (!duplicatesRetries) return;
    await send("POST", "/control/faults", { kind: "not-idempotent", count: unlimitedCount });
  };
  const start = async (): Promise<string> => {
    const line = await child.start();
    if (child.isRunning()) await injectPermanentFault().catch(() => undefined);
    return line;
  };
  const { publicKeyFile = "" } = JSON.parse(await start()) as Record<string, string>;
  return {
    connector,
    process: { ...child, start },
    publicKeyFile,
    duplicatesRetries,
    control: async (method, path, body = {}) => (await send(method, path, body)).status,
    async callControl(path, body = {}) {
      const { status, text } = await send("POST", path, body);
      return { status, json: JSON.parse(text) as Record<string, unknown> };
    },
    async clearFaults() {
      await send("DELETE", "/control/faults", {});
      await injectPermanentFault();
    },
    settlement: async () => (await send("GET", "/control/settlement.csv", {}, settlementTimeoutMs)).text,
    effects: () => readEffects(join(data, "effects.jsonl")),
  };
}

interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

function sendHttp(requestOptions: RequestOptions, body: string): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(requestOptions, (incoming) => {
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
