import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { openUniverse, type SharedTollgate } from "./test-universe.ts";
import { Tollgate, type TollgateOptions } from "./tollgate.ts";

/** What `tollgate dev --json` says when it is up. The names are an interface: programs in any language read them. */
export interface RunningTollgate {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly merchantPrivateKeyFile: string;
  readonly gatewayPublicKeyFile: string;
  readonly walletUrl: string;
  readonly controlSecret: string;
}

/** A gateway for tests, with a merchant of its own and a buyer who does as he is told. */
export interface StartedTollgate {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly client: Tollgate;
  /** For a program under test: address, client id and keys, as every library reads them from its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** The buyer pays. */
  approve(paymentId: string): Promise<void>;
  /** The buyer refuses to pay. */
  decline(paymentId: string): Promise<void>;
  /** Ends what was started here: the gateway, or this run's universe on a gateway that was there before. */
  stop(): Promise<void>;
}

/** How a gateway for tests is started. */
export interface StartOptions {
  /** How `tollgate` is called: TOLLGATE_COMMAND, or the one that is installed in the project. */
  readonly command?: string;
  /** Further options of the client. */
  readonly client?: TollgateOptions;
}

const startTimeoutMs = 60_000;

/** Under this name a running one is handed down to child processes, such as the workers of a test runner. */
const handedDown = "TOLLGATE_DEV";

/** A gateway in that variable: one that runs, or one with a merchant that is this test run's own. */
type HandedDown = RunningTollgate & { readonly isOfThisRun?: boolean };

/** One that is on its way up: a call at the same time waits for it, and shares it. */
let starting: Promise<Begun> | undefined;

/**
 * Starts a whole gateway for tests. Where one runs already (TOLLGATE_DEV; TOLLGATE_BASE_URL and TOLLGATE_CONTROL_SECRET, as in
 * the .env of `tollgate dev`) it opens a universe there instead. What a parent process of the same run has begun is shared.
 */
export async function startTollgate(options: StartOptions = {}): Promise<StartedTollgate> {
  const before = process.env[handedDown];
  const handed = before ? (JSON.parse(before) as HandedDown) : undefined;
  if (handed?.isOfThisRun) return startedOf(handed, options, async () => undefined);
  if (starting) return startedOf((await starting).running, options, async () => undefined);
  starting = begin(handed, options.command ?? process.env["TOLLGATE_COMMAND"]);
  const { running, stop } = await starting.finally(() => (starting = undefined));
  process.env[handedDown] = JSON.stringify({ ...running, isOfThisRun: true } satisfies HandedDown);
  return startedOf(running, options, async () => {
    if (before === undefined) delete process.env[handedDown];
    else process.env[handedDown] = before;
    await stop();
  });
}

/** What a run has begun, and how it ends. */
interface Begun {
  readonly running: RunningTollgate;
  stop(): Promise<void>;
}

async function begin(handed: RunningTollgate | undefined, command: string | undefined): Promise<Begun> {
  const shared = handed ?? namedByEnvironment();
  const joined = shared && (await join(shared));
  if (handed && !joined) throw new Error(`${handedDown} names ${handed.baseUrl}, and nobody listens there.`);
  // Not so the settings in .env: they stay when their `tollgate dev` has ended.
  return joined ?? startDev(command);
}

/** The sandbox of the settings that `tollgate dev` writes to .env. */
function namedByEnvironment(): SharedTollgate | undefined {
  const { TOLLGATE_BASE_URL: baseUrl, TOLLGATE_CONTROL_SECRET: controlSecret } = process.env;
  if (!baseUrl || !controlSecret) return undefined;
  return { baseUrl, controlSecret, walletUrl: process.env["TOLLGATE_WALLET_URL"] || undefined };
}

/** Undefined if nobody listens there. */
async function join(shared: SharedTollgate): Promise<Begun | undefined> {
  const universe = await openUniverse(shared);
  if (!universe) return undefined;
  const { close, ...merchant } = universe;
  const { baseUrl, controlSecret } = shared;
  return { running: { baseUrl, controlSecret, ...merchant }, stop: close };
}

async function merchantOf(running: RunningTollgate): Promise<TollgateOptions> {
  const [privateKey, gatewayPublicKeys] = await Promise.all([
    readFile(running.merchantPrivateKeyFile, "utf8"),
    readFile(running.gatewayPublicKeyFile, "utf8"),
  ]);
  return { clientId: running.clientId, keyVersion: running.keyVersion, privateKey, gatewayPublicKeys };
}

async function startedOf(
  running: RunningTollgate,
  options: StartOptions,
  stop: () => Promise<void>,
): Promise<StartedTollgate> {
  const { baseUrl, clientId, keyVersion } = running;
  const merchant = await merchantOf(running);
  return {
    baseUrl,
    clientId,
    client: new Tollgate({ baseUrl, ...merchant, ...options.client }),
    variables: {
      TOLLGATE_BASE_URL: baseUrl,
      TOLLGATE_CLIENT_ID: clientId,
      TOLLGATE_KEY_VERSION: String(keyVersion),
      TOLLGATE_PRIVATE_KEY_FILE: running.merchantPrivateKeyFile,
      TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: running.gatewayPublicKeyFile,
    },
    approve: (paymentId) => decide(running, paymentId, "approve"),
    decline: (paymentId) => decide(running, paymentId, "decline"),
    stop,
  };
}

/** By the sandbox wallet's door for tests. */
async function decide(running: RunningTollgate, paymentId: string, word: string): Promise<void> {
  const url = `${running.walletUrl}/control/payments/${encodeURIComponent(paymentId)}/${word}`;
  const headers = { authorization: `Bearer ${running.controlSecret}` };
  const response = await fetch(url, { method: "POST", headers });
  if (!response.ok)
    throw new Error(`The wallet does not ${word} payment ${paymentId}: ${await response.text()}`);
}

async function startDev(command = "npx --no tollgate"): Promise<Begun> {
  // It leaves when the pipe to its standard input closes, so none is left behind, however this process ends.
  const child = spawn(`${command} dev --json --ephemeral --until-stdin-closes`, {
    shell: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const running = JSON.parse(await firstLineOf(child, command)) as RunningTollgate;
    // A test run that forgets to stop it ends all the same.
    child.unref();
    for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.();
    return {
      running,
      async stop() {
        child.ref();
        child.stdin.end();
        await exited;
      },
    };
  } catch (error) {
    child.stdin.end();
    throw error;
  }
}

function firstLineOf(child: ChildProcess, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let [text, said] = ["", ""];
    const give = (reason: string): void =>
      reject(
        new Error(
          `Tollgate ${reason}. It was called as \`${command}\`; is that installed here? TOLLGATE_COMMAND names another ` +
            `way to call it.\n${said.trim()}`.trimEnd(),
        ),
      );
    const timer = setTimeout(() => give(`did not start in ${startTimeoutMs / 1000} s`), startTimeoutMs);
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (said = (said + chunk).slice(-2_000)));
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n")) return;
      clearTimeout(timer);
      resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      give(`ended with ${code} before it was ready`);
    });
  });
}
