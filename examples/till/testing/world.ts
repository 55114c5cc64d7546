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
import { startLine, type Line } from "./line.ts";

/** A complete Tollgate, as `npm run dev -- --json` starts it, and additional points of sale. */
export interface World {
  readonly ready: RunningTollgate & { readonly tillUrl: string };
  /** The merchant's client, with a connection that is never broken. */
  readonly client: Tollgate;
  /** Sends a request to the provider's control API. */
  control(line: `${"GET" | "POST"} ${string}`, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** A payment code in the buyer's app. */
  codeOfBuyer(terms?: object): Promise<string>;
  /**
   * Reads the provider's journal for all payments of this amount: the number of charges, and the amount that was not
   * returned.
   */
  moneyOf(value: string): Promise<{ readonly charges: number; readonly kept: bigint }>;
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
   * The proxies in both directions between the point of sale and the gateway. `loseAnswers` loses single responses of
   * the gateway.
   */
  readonly line: Pick<Line, "cut" | "loseAnswers" | "repair">;
  post(path: string, body?: object): Promise<{ readonly status: number; readonly problem?: string }>;
  /** The state that a page shows. */
  view(): Promise<TillView>;
  /** Waits for a state that fulfils the condition, and returns it. */
  until(isSo: (view: TillView) => boolean, withinMs?: number): Promise<TillView>;
  /** Kills the process, as a power failure would. */
  kill(): Promise<void>;
  /** Starts the process again with the same file of sales. */
  restart(): Promise<void>;
}

const root = fileURLToPath(new URL("../../../", import.meta.url));

export async function startWorld(): Promise<World> {
  const dev = spawn(process.execPath, [join(root, "scripts/dev.ts"), "--json"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = JSON.parse(await firstLineOf(dev)) as World["ready"];
  const folder = await mkdtemp(join(tmpdir(), "tollgate-till-"));
  const { clientId, keyVersion, baseUrl } = ready;
  const client = new Tollgate({
    clientId,
    keyVersion,
    baseUrl,
    privateKey: readFileSync(ready.merchantPrivateKeyFile, "utf8"),
    gatewayPublicKeys: readFileSync(ready.gatewayPublicKeyFile, "utf8"),
  });
  const control: World["control"] = async (line, body) => {
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(`${ready.walletUrl}/control/${path}`, {
      method,
      headers: { authorization: `Bearer ${ready.controlSecret}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const ending: (() => Promise<void>)[] = [];
  return {
    ready,
    client,
    control,
    codeOfBuyer: async (terms = {}) => String((await control("POST payment-codes", terms))["paymentCode"]),
    moneyOf: async (value) => moneyIn((await control("GET effects"))["effects"] as readonly Effect[], value),
    async startTill(options = {}) {
      const till = await startTill(ready, join(folder, `sales-${ending.length}.jsonl`), options);
      ending.push(till.stop);
      return till;
    },
    async stop() {
      await Promise.all(ending.map((stop) => stop()));
      await ended(dev, "SIGTERM");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Effect {
  readonly kind: string;
  readonly paymentId?: string;
  readonly amount?: { readonly value: string };
}

function moneyIn(effects: readonly Effect[], value: string): { charges: number; kept: bigint } {
  const paid = effects.filter(({ kind, amount }) => kind === "paid" && amount?.value === value);
  const ids = new Set(paid.map(({ paymentId }) => paymentId));
  const back = effects.filter(({ kind, paymentId }) => kind === "refunded" && ids.has(paymentId));
  const sum = (all: readonly Effect[]): bigint =>
    all.reduce((minor, { amount }) => minor + BigInt(amount?.value ?? 0), 0n);
  return { charges: paid.length, kept: sum(paid) - sum(back) };
}

async function startTill(
  ready: World["ready"],
  data: string,
  { payWithinSeconds = 180, pace = 0.1 }: TillOptions,
): Promise<TillProcess & { stop(): Promise<void> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [out, back] = [await startLine(ready.baseUrl), await startLine(url)];
  const options = {
    port,
    data,
    pace,
    "notify-url": `${back.url}/notifications`,
    "wallet-url": ready.walletUrl,
    "pay-within-seconds": payWithinSeconds,
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const start = async (): Promise<ChildProcess> => {
    const till = spawn(process.execPath, [join(root, "examples/till/main.ts"), ...words], {
      env: { ...process.env, ...variablesOf(ready, out.url) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await firstLineOf(till);
    return till;
  };
  let running = await start();
  return {
    url,
    line: {
      cut() {
        for (const line of [out, back]) line.cut();
      },
      loseAnswers: out.loseAnswers,
      repair() {
        for (const line of [out, back]) line.repair();
      },
    },
    async post(path, body = {}) {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, ...((await response.json()) as object) };
    },
    view: () => viewWhere(url, () => true, 5_000),
    until: (isSo, withinMs = 20_000) => viewWhere(url, isSo, withinMs),
    kill: () => ended(running, "SIGKILL"),
    async restart() {
      running = await start();
    },
    async stop() {
      await ended(running, "SIGTERM");
      await Promise.all([out.stop(), back.stop()]);
    },
  };
}

function variablesOf(ready: World["ready"], baseUrl: string): Readonly<Record<string, string>> {
  return {
    TOLLGATE_BASE_URL: baseUrl,
    TOLLGATE_CLIENT_ID: ready.clientId,
    TOLLGATE_KEY_VERSION: String(ready.keyVersion),
    TOLLGATE_PRIVATE_KEY_FILE: ready.merchantPrivateKeyFile,
    TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: ready.gatewayPublicKeyFile,
  };
}

/** Reads the event stream of pages until the condition is fulfilled. */
async function viewWhere(
  url: string,
  isSo: (view: TillView) => boolean,
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
        if (isSo(last)) return last;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(`Not within ${withinMs} ms. It was ${last?.sale?.state} at last.`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await exited;
}

function firstLineOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => reject(new Error(`It ended with ${code} before it was ready.`)));
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits for a value. */
export async function eventually<Value>(
  ask: () => Promise<Value | undefined>,
  withinMs = 20_000,
): Promise<Value> {
  const giveUpAtMs = performance.now() + withinMs;
  while (performance.now() < giveUpAtMs) {
    const value = await ask();
    if (value !== undefined) return value;
    await wait(50);
  }
  throw new Error(`Not within ${withinMs} ms.`);
}
