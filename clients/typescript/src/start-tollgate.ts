import { spawn, type ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { openUniverse, type SharedTollgate } from "./test-universe.ts";
import { Tollgate, type TollgateOptions } from "./tollgate.ts";

/**
 * The output of `tollgate dev --json` when the gateway is ready. The names are an interface that programs in
 * any language read.
 */
export interface RunningTollgate {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly merchantPrivateKeyFile: string;
  readonly gatewayPublicKeyFile: string;
  readonly walletUrl: string;
  readonly controlSecret: string;
}

/** A gateway for tests, with its own merchant and a simulated buyer. */
export interface StartedTollgate {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly client: Tollgate;
  /**
   * Environment variables for a program under test: base URL, client id and keys, as every library reads
   * them.
   */
  readonly variables: Readonly<Record<string, string>>;
  /** The buyer pays. */
  approve(paymentId: string): Promise<void>;
  /** The buyer declines to pay. */
  decline(paymentId: string): Promise<void>;
  /**
   * Stops the gateway that was started here, or deletes this run's isolated test merchant on a shared
   * gateway.
   */
  stop(): Promise<void>;
}

/** Options for starting a gateway for tests. */
export interface StartOptions {
  /** The command that runs `tollgate`: TOLLGATE_COMMAND, or the command that is installed in the project. */
  readonly command?: string;
  /** Further options of the client. */
  readonly client?: TollgateOptions;
}

const startTimeoutMs = 60_000;

/** The variable that passes a running gateway to child processes, such as the workers of a test runner. */
const handedDown = "TOLLGATE_DEV";

/**
 * The value of the variable TOLLGATE_DEV: a running gateway, or a gateway with an isolated test merchant of
 * this test run.
 */
type HandedDown = RunningTollgate & { readonly isOfThisRun?: boolean };

/** The gateway that is starting. A concurrent call waits for it and shares it. */
let starting: Promise<Begun> | undefined;

/**
 * Starts a complete gateway for tests. If one is running already (TOLLGATE_DEV; or TOLLGATE_BASE_URL and
 * TOLLGATE_CONTROL_SECRET, as in the .env of `tollgate dev`), it creates an isolated test merchant there
 * instead. A gateway that a parent process of the same run started is shared.
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

/** A gateway or test merchant that this run has started, and the function that stops it. */
interface Begun {
  readonly running: RunningTollgate;
  stop(): Promise<void>;
}

async function begin(handed: RunningTollgate | undefined, command: string | undefined): Promise<Begun> {
  const shared = handed ?? namedByEnvironment();
  const joined = shared && (await join(shared));
  if (handed && !joined)
    throw new Error(`${handedDown} names ${handed.baseUrl}, but no gateway listens there.`);
  // The settings in .env do not count as a running gateway: they remain after their `tollgate dev` has
  // stopped.
  return joined ?? startDev(command);
}

/** The sandbox in the settings that `tollgate dev` writes to .env. */
function namedByEnvironment(): SharedTollgate | undefined {
  const { TOLLGATE_BASE_URL: baseUrl, TOLLGATE_CONTROL_SECRET: controlSecret } = process.env;
  if (!baseUrl || !controlSecret) return undefined;
  return { baseUrl, controlSecret, walletUrl: process.env["TOLLGATE_WALLET_URL"] || undefined };
}

/**
 * Creates an isolated test merchant on a shared gateway. Returns undefined if no gateway listens at its
 * address.
 */
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

/** Acts as the buyer, through the sandbox provider's API for tests. */
async function decide(running: RunningTollgate, paymentId: string, word: string): Promise<void> {
  const url = `${running.walletUrl}/control/payments/${encodeURIComponent(paymentId)}/${word}`;
  const headers = { authorization: `Bearer ${running.controlSecret}` };
  const response = await fetch(url, { method: "POST", headers });
  if (!response.ok)
    throw new Error(`The sandbox provider could not ${word} payment ${paymentId}: ${await response.text()}`);
}

async function startDev(command = "npx --no tollgate"): Promise<Begun> {
  // The gateway exits when the pipe to its standard input closes, so it is not left running, however this
  // process ends.
  const child = spawn(`${command} dev --json --ephemeral --until-stdin-closes`, {
    shell: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const running = JSON.parse(await firstLineOf(child, command)) as RunningTollgate;
    // `unref` lets a test run end even if it does not stop the gateway.
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
          `Tollgate ${reason}. It was called as \`${command}\`; is it installed? TOLLGATE_COMMAND can set another ` +
            `command.\n${said.trim()}`.trimEnd(),
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
