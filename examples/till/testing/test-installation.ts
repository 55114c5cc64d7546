import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Tollgate } from "../../../clients/typescript/src/generated/package.ts";
import type { RunningTollgate } from "../../../clients/typescript/src/start-tollgate.ts";
import type { TillView } from "../view.ts";
import { startConnectionProxy, type ConnectionProxy } from "./connection-proxy.ts";

/** A complete Tollgate, as `npm run dev -- --json` starts it, and additional points of sale. */
export interface TestInstallation {
  readonly tollgate: RunningTollgate & { readonly tillUrl: string };
  /** The merchant's client, with a connection that is never broken. */
  readonly client: Tollgate;
  /** Sends a request to the provider's control API. */
  control(line: `${"GET" | "POST"} ${string}`, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** A payment code in the buyer's app. */
  createPaymentCode(terms?: object): Promise<string>;
  /**
   * Reads the provider's journal for all payments of this amount: the number of charges, and the amount that was not
   * returned.
   */
  findProviderTotals(value: string): Promise<{ readonly charges: number; readonly netMinor: bigint }>;
  startTill(options?: TillOptions): Promise<TillProcess>;
  stop(): Promise<void>;
}

interface TillOptions {
  readonly payWithinSeconds?: number;
  /** Factor for the usual pauses. */
  readonly pace?: number;
}

export interface TillProcess {
  readonly url: string;
  /**
   * The proxies in both directions between the point of sale and the gateway. `dropResponses` loses single responses of
   * the gateway.
   */
  readonly connection: Pick<ConnectionProxy, "cut" | "dropResponses" | "repair">;
  post(path: string, body?: object): Promise<{ readonly status: number; readonly problem?: string }>;
  /** The state that a page shows. */
  view(): Promise<TillView>;
  /** Waits for a state that fulfils the condition, and returns it. */
  until(isExpected: (view: TillView) => boolean, withinMs?: number): Promise<TillView>;
  /** Kills the process, as a power failure would. */
  kill(): Promise<void>;
  /** Starts the process again with the same file of sales. */
  restart(): Promise<void>;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));

export async function startTestInstallation(): Promise<TestInstallation> {
  const dev = spawn(process.execPath, [join(root, "scripts/dev.ts"), "--json"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const tollgate = JSON.parse(await readFirstLine(dev)) as TestInstallation["tollgate"];
  const folder = await mkdtemp(join(tmpdir(), "tollgate-till-"));
  const { clientId, keyVersion, baseUrl } = tollgate;
  const client = new Tollgate({
    clientId,
    keyVersion,
    baseUrl,
    privateKey: readFileSync(tollgate.merchantPrivateKeyFile, "utf8"),
    gatewayPublicKeys: readFileSync(tollgate.gatewayPublicKeyFile, "utf8"),
  });
  const control: TestInstallation["control"] = async (line, body) => {
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(`${tollgate.walletUrl}/control/${path}`, {
      method,
      headers: { authorization: `Bearer ${tollgate.controlSecret}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const stopTills: (() => Promise<void>)[] = [];
  return {
    tollgate,
    client,
    control,
    createPaymentCode: async (terms = {}) =>
      String((await control("POST payment-codes", terms))["paymentCode"]),
    findProviderTotals: async (value) =>
      sumMoney((await control("GET effects"))["effects"] as readonly ProviderEffect[], value),
    async startTill(options = {}) {
      const till = await startTill(tollgate, join(folder, `sales-${stopTills.length}.jsonl`), options);
      stopTills.push(till.stop);
      return till;
    },
    async stop() {
      await Promise.all(stopTills.map((stop) => stop()));
      await stopProcess(dev, "SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface ProviderEffect {
  readonly kind: string;
  readonly paymentId?: string;
  readonly amount?: { readonly value: string };
}

function sumMoney(effects: readonly ProviderEffect[], value: string): { charges: number; netMinor: bigint } {
  const paid = effects.filter(({ kind, amount }) => kind === "paid" && amount?.value === value);
  const ids = new Set(paid.map(({ paymentId }) => paymentId));
  const refunded = effects.filter(({ kind, paymentId }) => kind === "refunded" && ids.has(paymentId));
  const sum = (all: readonly ProviderEffect[]): bigint =>
    all.reduce((minor, { amount }) => minor + BigInt(amount?.value ?? 0), 0n);
  return { charges: paid.length, netMinor: sum(paid) - sum(refunded) };
}

async function startTill(
  tollgate: TestInstallation["tollgate"],
  data: string,
  { payWithinSeconds = 180, pace = 0.1 }: TillOptions,
): Promise<TillProcess & { stop(): Promise<void> }> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const [outgoing, incoming] = [
    await startConnectionProxy(tollgate.baseUrl),
    await startConnectionProxy(url),
  ];
  const options = {
    port,
    data,
    pace,
    "notify-url": `${incoming.url}/notifications`,
    "wallet-url": tollgate.walletUrl,
    "pay-within-seconds": payWithinSeconds,
  };
  const parameters = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const start = async (): Promise<ChildProcess> => {
    const till = spawn(process.execPath, [join(root, "examples/till/main.ts"), ...parameters], {
      env: { ...process.env, ...variablesOf(tollgate, outgoing.url) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await readFirstLine(till);
    return till;
  };
  let running = await start();
  return {
    url,
    connection: {
      cut() {
        for (const line of [outgoing, incoming]) line.cut();
      },
      dropResponses: outgoing.dropResponses,
      repair() {
        for (const line of [outgoing, incoming]) line.repair();
      },
    },
    async post(path, body = {}) {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, ...((await response.json()) as object) };
    },
    view: () => waitForView(url, () => true, 5_000),
    until: (isExpected, withinMs = 20_000) => waitForView(url, isExpected, withinMs),
    kill: () => stopProcess(running, "SIGKILL"),
    async restart() {
      running = await start();
    },
    async stop() {
      await stopProcess(running, "SIGTERM");
      await Promise.all([outgoing.stop(), incoming.stop()]);
    },
  };
}

function variablesOf(
  tollgate: TestInstallation["tollgate"],
  baseUrl: string,
): Readonly<Record<string, string>> {
  return {
    TOLLGATE_BASE_URL: baseUrl,
    TOLLGATE_CLIENT_ID: tollgate.clientId,
    TOLLGATE_KEY_VERSION: String(tollgate.keyVersion),
    TOLLGATE_PRIVATE_KEY_FILE: tollgate.merchantPrivateKeyFile,
    TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: tollgate.gatewayPublicKeyFile,
  };
}

/** Reads the event stream of pages until the condition is fulfilled. */
async function waitForView(
  url: string,
  isExpected: (view: TillView) => boolean,
  withinMs: number,
): Promise<TillView> {
  const signal = AbortSignal.timeout(withinMs);
  let last: TillView | undefined;
  try {
    const { body } = await fetch(`${url}/changes`, { signal });
    let text = "";
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events.filter((each) => each.startsWith("event: till\n"))) {
        last = JSON.parse(event.slice(event.indexOf("data: ") + 6)) as TillView;
        if (isExpected(last)) return last;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(`Not within ${withinMs} ms. It was ${last?.sale?.state} at last.`);
}

async function stopProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await exited;
}

function readFirstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => reject(new Error(`It ended with ${code} before it was ready.`)));
  });
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits for a value. */
export async function pollUntilDefined<Value>(
  read: () => Promise<Value | undefined>,
  withinMs = 20_000,
): Promise<Value> {
  const giveUpAtMs = performance.now() + withinMs;
  while (performance.now() < giveUpAtMs) {
    const value = await read();
    if (value !== undefined) return value;
    await wait(50);
  }
  throw new Error(`Not within ${withinMs} ms.`);
}
