import { spawn } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

/** `serve` as a separate process. */
export interface ServeProcess {
  readonly url: string;
  readonly pid: number;
  /** Standard error since its start. */
  stderr(): string;
  /** Returns false after the process has exited, for any reason. */
  runs(): boolean;
  /** Sends a termination signal and waits for the exit, so that pending writes are done. */
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
  let stderr = "";
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`serve did not become ready:\n${stderr}`)),
      startTimeoutMs,
    );
    child.once("exit", () => reject(new Error(`serve exited:\n${stderr}`)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const [, served] = /^Tollgate serves \w+ at (\S+)$/m.exec(stderr) ?? [];
      if (!served) return;
      clearTimeout(timer);
      resolve(served);
    });
  });
  stderr = "";

  const runs = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    url,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    runs,
    async stop() {
      if (!runs()) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
