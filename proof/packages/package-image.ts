import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Variables } from "../installation/installation.ts";
import { podman, podmanEnvironment, startContainer, type Container } from "./podman.ts";
import {
  prepareHost,
  isReady,
  openCounterparties,
  waitUntil,
  type PreparedHost,
} from "../trial/test-environment.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
export const imageUser = 65_532;
/**
 * The podman options of deploy/README.md. The container uses this machine's network, because PostgreSQL, provider and
 * shop are on loopback.
 */
const confinementOptions = "--network host --read-only --cap-drop=all --security-opt no-new-privileges".split(
  " ",
);

/** Builds the image of a source tree, and returns its id. */
export async function buildImage(tree: string = root): Promise<string> {
  const execOptions = { cwd: tree, env: podmanEnvironment, maxBuffer: 2 ** 26 };
  const { stdout } = await run("npm", ["run", "--silent", "image"], execOptions);
  return stdout.trim().split("\n").at(-1) ?? "";
}

export interface ImageResult {
  readonly megabytes: number;
  readonly serveStatus: number;
  readonly workStatus: number;
  readonly misses: readonly string[];
}

/** Runs every command of the image confined, and sends payments through its `serve` and `work`. */
export async function payThroughImage(image: string, payments: number): Promise<ImageResult> {
  const host = await prepareHost(imageUser);
  try {
    const counterparties = await openCounterparties(host, newImageOperator(image, host));
    try {
      const serve = await startImage(image, host, "serve");
      const work = await startImage(image, host, "work");
      await waitUntil(() => isReady(host.port), "the container to serve");
      for (let nth = 0; nth < payments; nth += 1) await counterparties.pay();
      const misses = [...(await findConfinementViolations(serve)), ...(await findShell(image))];
      const bytes = Number(await podman("image", "inspect", "--format", "{{.Size}}", image));
      const [serveStatus, workStatus] = [await serve.stop(), await work.stop()];
      return { megabytes: Math.round(bytes / 1e6), serveStatus, workStatus, misses };
    } finally {
      await counterparties.stop();
    }
  } finally {
    await host.stop();
  }
}

/** Runs a command of the image, confined like its processes. */
export function newImageOperator(
  image: string,
  host: PreparedHost,
): (...args: readonly string[]) => Promise<string> {
  return (...args) =>
    podman(
      "run",
      "--rm",
      ...confinementOptions,
      ...containerOptions(host.variables("owner"), host),
      image,
      ...args,
    );
}

export function startImage(
  image: string,
  host: PreparedHost,
  command: "serve" | "work",
  extraVariables: Variables = {},
): Promise<Container> {
  const variables = { ...host.variables(command), ...extraVariables };
  return startContainer(...confinementOptions, ...containerOptions(variables, host), image, command);
}

function containerOptions(variables: Variables, { folder }: PreparedHost): readonly string[] {
  const envArgs = Object.entries(variables).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return ["--volume", `${folder}:${folder}:ro`, ...envArgs];
}

/** Violations of the confinement, according to the kernel's data about the process instead of podman's options. */
export async function findConfinementViolations({ id }: Pick<Container, "id">): Promise<readonly string[]> {
  const pid = await podman("inspect", "--format", "{{.State.Pid}}", id);
  const { stdout } = await run("cat", [`/proc/${pid}/status`]);
  const { stdout: mounts } = await run("cat", [`/proc/${pid}/mounts`]);
  const checks = [
    [/^Uid:\s+65532\s/m.test(stdout), "does not run as user 65532"],
    [/^CapBnd:\s+0+$/m.test(stdout), "may get capabilities"],
    [/^NoNewPrivs:\s+1$/m.test(stdout), "may get new privileges"],
    [/^\S+ \/ \S+ ro[, ]/m.test(mounts), "can write to its root"],
  ] as const;
  return checks.flatMap(([isMet, miss]) => (isMet ? [] : [`container ${id} ${miss}`]));
}

async function findShell(image: string): Promise<readonly string[]> {
  const shellArgs = ["run", "--rm", "--entrypoint", "/bin/sh", image, "-c", "true"];
  return podman(...shellArgs).then(
    () => ["the image has a shell"],
    () => [],
  );
}
