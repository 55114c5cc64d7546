import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { runTollgate } from "../installation/installation.ts";
import { commandInNamespace } from "../installation/managed-process.ts";

/** A real HAProxy with the files that `tollgate cells edge` writes. */
export interface Edge {
  readonly port: number;
  /** Writes HAProxy's files again from the cell directory, and reloads HAProxy without dropping a call. */
  reload(): Promise<void>;
  stop(): void;
}

export interface EdgeOptions {
  readonly directory: { readonly file: string; readonly publicKeyFile: string };
  readonly folder: string;
  readonly port: number;
  /** The region of the HAProxy; absent if the directory has no regions. */
  readonly region?: string;
  /** The network namespace of the HAProxy; absent if it runs in this program's namespace. */
  readonly namespace?: string;
}

export async function startEdge({ directory, folder, port, region, namespace }: EdgeOptions): Promise<Edge> {
  const writeConfig = async (): Promise<void> => {
    const settings = {
      TOLLGATE_DIRECTORY_FILE: directory.file,
      TOLLGATE_DIRECTORY_KEY_FILE: directory.publicKeyFile,
    };
    const bind = ["--bind", `127.0.0.1:${port}`, ...(region === undefined ? [] : ["--region", region])];
    await runTollgate(settings, "cells", "edge", "--to", folder, ...bind);
    chmodSync(folder, 0o755);
  };
  await writeConfig();
  // HAProxy runs in master and worker mode (`-W`). SIGUSR2 starts a new worker while the old worker finishes its calls.
  const args = ["haproxy", "-W", "-db", "-f", join(folder, "haproxy.cfg")];
  const proxy = spawn(...commandInNamespace(namespace, ...args), { stdio: "ignore" });
  const stop = (): void => void proxy.kill("SIGTERM");
  process.once("exit", stop);
  const startFailure = once(proxy, "error").then(([error]: unknown[]) => {
    throw new Error("HAProxy does not start: on Debian, apt-get install haproxy.", { cause: error });
  });
  startFailure.catch(() => undefined);
  await Promise.race([once(proxy, "spawn"), startFailure]);
  return {
    port,
    async reload() {
      await writeConfig();
      proxy.kill("SIGUSR2");
    },
    stop,
  };
}
