import { spawn } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

/** `serve` as a process of its own. */
export interface ServeProcess {
  readonly url: string;
  readonly pid: number;
  /** What it wrote to standard error since it serves. */
  said(): string;
  /** False once it has ended, for whatever reason. */
  runs(): boolean;
  /** Tells it to leave, and waits until it has: what it had to write is written. */
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const startTimeoutMs = 30_000;

export async function startServeProcess(
  variables: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [...nodeOptions, main, "serve"], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "ignore", "pipe"],
  });
  after(() => child.kill("SIGKILL"));
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`It does not serve:\n${said}`)), startTimeoutMs);
    child.once("exit", () => reject(new Error(`It ended:\n${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, served] = /^Tollgate serves \w+ at (\S+)$/m.exec(said) ?? [];
      if (!served) return;
      clearTimeout(timer);
      resolve(served);
    });
  });
  said = "";

  const runs = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    url,
    pid: child.pid ?? 0,
    said: () => said,
    runs,
    async stop() {
      if (!runs()) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
