import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningTollgate } from "../typescript/src/start-tollgate.ts";

/** The output of `npm run dev -- --json` when the gateway is ready. */
export interface DevGateway extends RunningTollgate {
  /** The PEM certificate that clients must trust; set only with `--https-port`. */
  readonly certificateFile?: string;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const startTimeoutMs = 120_000;

/** A complete local Tollgate, as a developer would start it. */
export async function startDevGateway(parameters: readonly string[] = []): Promise<DevGateway> {
  const child = spawn(process.execPath, [join(root, "scripts/dev.ts"), "--json", ...parameters], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // The exit handler stops the gateway, because a process that a signal ends cannot call `stop`.
  process.once("exit", () => void child.kill("SIGTERM"));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
  };
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error("The gateway did not start in time.")), startTimeoutMs);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (!text.includes("\n")) return;
      clearTimeout(timer);
      resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => reject(new Error(`The gateway ended with ${code}.`)));
  }).catch(async (error: unknown) => {
    child.kill("SIGTERM");
    throw error;
  });
  return { ...(JSON.parse(line) as Omit<DevGateway, "stop">), stop };
}
