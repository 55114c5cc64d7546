import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "tollgate-podman-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/**
 * Netavark resolves the names of containers, which compose and `kube play` need. Debian's podman recommends the
 * package.
 */
const hasNetavark = existsSync("/usr/lib/podman/netavark");

/**
 * The limit of open files of a container is the limit of this process. Each connection is an open file, and an overload
 * has thousands.
 */
const [, filesMax = "1024"] =
  /^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];

/**
 * Settings for a machine on which limits can not be raised and both cgroup versions exist, for example inside another
 * container.
 */
const settings = `
[containers]
default_ulimits = ["nofile=${filesMax}:${filesMax}", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
${hasNetavark ? '[network]\nnetwork_backend = "netavark"' : ""}
`;
const settingsFile = join(folder, "containers.conf");
writeFileSync(settingsFile, settings);

/**
 * The environment of every program that starts containers or builds images. Podman leaves health checks to systemd
 * timers.
 */
export const podmanEnvironment = {
  ...process.env,
  CONTAINERS_CONF: settingsFile,
  ...(!existsSync("/run/systemd/system") && { DISABLE_HC_SYSTEMD: "true" }),
};

/** Runs podman, and returns its output. */
export async function podman(...args: readonly string[]): Promise<string> {
  const execOptions = { env: podmanEnvironment, maxBuffer: 2 ** 26 };
  return (await run("podman", args, execOptions)).stdout.trim();
}

/** A running container, by its id. */
export interface Container {
  readonly id: string;
  /** Runs a program inside the container, and returns its output. */
  exec(...args: readonly string[]): Promise<string>;
  /** Both streams so far. */
  logs(): Promise<string>;
  /**
   * Sends SIGTERM, and returns the exit status. Podman kills a container that does not stop in time; its exit status is
   * 137.
   */
  stop(withinSeconds?: number): Promise<number>;
}

/** Starts a container, which is removed when this process exits. */
export async function startContainer(...args: readonly string[]): Promise<Container> {
  const id = await podman("run", "--detach", ...args);
  const remove = (): void => void execFile("podman", ["rm", "--force", id], { env: podmanEnvironment });
  process.once("exit", remove);
  return {
    id,
    exec: (...execArgs) => podman("exec", id, ...execArgs),
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
