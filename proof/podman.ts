import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "tollgate-podman-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** It answers for the names of containers, and so do compose and `kube play` count on it. Debian recommends it beside podman. */
const namesContainers = existsSync("/usr/lib/podman/netavark");

/** Open files of a container: as many as we may have ourselves. A connection is one, and an overload has thousands. */
const [, filesMax = "1024"] =
  /^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];

/** Runs where limits may not be raised and cgroups are of both versions, as inside of another container. */
const settings = `
[containers]
default_ulimits = ["nofile=${filesMax}:${filesMax}", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
${namesContainers ? '[network]\nnetwork_backend = "netavark"' : ""}
`;
const settingsFile = join(folder, "containers.conf");
writeFileSync(settingsFile, settings);

/** For every program that starts containers or builds images. Podman leaves health checks to timers of systemd. */
export const podmanEnvironment = {
  ...process.env,
  CONTAINERS_CONF: settingsFile,
  ...(!existsSync("/run/systemd/system") && { DISABLE_HC_SYSTEMD: "true" }),
};

/** Runs podman, and gives what it printed. */
export async function podman(...words: readonly string[]): Promise<string> {
  const how = { env: podmanEnvironment, maxBuffer: 2 ** 26 };
  return (await run("podman", words, how)).stdout.trim();
}

/** A container that runs, by its id. */
export interface Container {
  readonly id: string;
  /** Runs a program inside of it, and gives what that printed. */
  inside(...words: readonly string[]): Promise<string>;
  /** Both streams so far. */
  logs(): Promise<string>;
  /** SIGTERM; gives the exit status. One that does not leave by then is killed, and has 137. */
  stop(withinSeconds?: number): Promise<number>;
}

/** Starts a container, which does not outlive this process. */
export async function startContainer(...words: readonly string[]): Promise<Container> {
  const id = await podman("run", "--detach", ...words);
  const remove = (): void => void execFile("podman", ["rm", "--force", id], { env: podmanEnvironment });
  process.once("exit", remove);
  return {
    id,
    inside: (...more) => podman("exec", id, ...more),
    logs: async () => {
      const { stdout, stderr } = await run("podman", ["logs", id], { env: podmanEnvironment });
      return stdout + stderr;
    },
    async stop(withinSeconds = 30) {
      await podman("stop", "--time", String(withinSeconds), id);
      const status = Number(await podman("inspect", "--format", "{{.State.ExitCode}}", id));
      process.off("exit", remove);
      await podman("rm", "--force", id);
      return status;
    },
  };
}
