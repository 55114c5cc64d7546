import { spawn } from "node:child_process";
import { freePort } from "../../server/src/postgres/throw-away.ts";
import type { ExampleGateway } from "./example-gateway.ts";
import { tryReceiver } from "./receiver-trial.ts";

/** Starts an example that takes notifications at PORT, and puts it on trial. What it said is told when it fails. */
export async function tryExample(
  gateway: ExampleGateway,
  [program = "", ...words]: readonly string[],
  { cwd, variables }: { readonly cwd: string; readonly variables: Readonly<Record<string, string>> },
): Promise<void> {
  const port = await freePort();
  const child = spawn(program, words, {
    cwd,
    env: {
      ...process.env,
      ...gateway.variables,
      ...variables,
      PORT: String(port),
      SERVER_PORT: String(port),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`It ended with ${code}.`)));
  });
  try {
    // The trial would wait long for an example that has died.
    await Promise.race([tryReceiver(gateway, `http://127.0.0.1:${port}`), ended]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${words.at(-1)}: ${why}\nIt said:\n${said.slice(-4_000)}`, { cause: error });
  } finally {
    ended.catch(() => undefined);
    child.kill();
  }
}
