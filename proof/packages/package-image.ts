import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Variables } from "../installation/installation.ts";
import { podman, podmanEnvironment, startContainer, type Container } from "./podman.ts";
import { breakGround, isReady, openStreet, until, type Ground } from "../trial/test-environment.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
export const userOfImage = 65_532;
/**
 * The podman options of deploy/README.md. The container uses this machine's network, because PostgreSQL, provider and
 * shop are on loopback.
 */
const confined = "--network host --read-only --cap-drop=all --security-opt no-new-privileges".split(" ");

/** Builds the image of a source tree, and returns its id. */
export async function buildImage(tree: string = root): Promise<string> {
  const how = { cwd: tree, env: podmanEnvironment, maxBuffer: 2 ** 26 };
  const { stdout } = await run("npm", ["run", "--silent", "image"], how);
  return stdout.trim().split("\n").at(-1) ?? "";
}

export interface ImageShown {
  readonly megabytes: number;
  readonly serveStatus: number;
  readonly workStatus: number;
  readonly misses: readonly string[];
}

/** Runs every command of the image confined, and sends payments through its `serve` and `work`. */
export async function payThroughImage(image: string, payments: number): Promise<ImageShown> {
  const ground = await breakGround(userOfImage);
  try {
    const street = await openStreet(ground, operateImage(image, ground));
    try {
      const serve = await startOfImage(image, ground, "serve");
      const work = await startOfImage(image, ground, "work");
      await until(() => isReady(ground.port), "the container to serve");
      for (let nth = 0; nth < payments; nth += 1) await street.pay();
      const misses = [...(await notConfined(serve)), ...(await hasShell(image))];
      const bytes = Number(await podman("image", "inspect", "--format", "{{.Size}}", image));
      const [serveStatus, workStatus] = [await serve.stop(), await work.stop()];
      return { megabytes: Math.round(bytes / 1e6), serveStatus, workStatus, misses };
    } finally {
      await street.stop();
    }
  } finally {
    await ground.stop();
  }
}

/** Runs a command of the image, confined like its processes. */
export function operateImage(
  image: string,
  ground: Ground,
): (...words: readonly string[]) => Promise<string> {
  return (...words) =>
    podman("run", "--rm", ...confined, ...settled(ground.variables("owner"), ground), image, ...words);
}

export function startOfImage(
  image: string,
  ground: Ground,
  command: "serve" | "work",
  more: Variables = {},
): Promise<Container> {
  const variables = { ...ground.variables(command), ...more };
  return startContainer(...confined, ...settled(variables, ground), image, command);
}

function settled(variables: Variables, { folder }: Ground): readonly string[] {
  const each = Object.entries(variables).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
  return ["--volume", `${folder}:${folder}:ro`, ...each];
}

/** Violations of the confinement, according to the kernel's data about the process instead of podman's options. */
export async function notConfined({ id }: Pick<Container, "id">): Promise<readonly string[]> {
  const pid = await podman("inspect", "--format", "{{.State.Pid}}", id);
  const { stdout } = await run("cat", [`/proc/${pid}/status`]);
  const { stdout: mounts } = await run("cat", [`/proc/${pid}/mounts`]);
  const wanted = [
    [/^Uid:\s+65532\s/m.test(stdout), "does not run as user 65532"],
    [/^CapBnd:\s+0+$/m.test(stdout), "may get capabilities"],
    [/^NoNewPrivs:\s+1$/m.test(stdout), "may get new privileges"],
    [/^\S+ \/ \S+ ro[, ]/m.test(mounts), "can write to its root"],
  ] as const;
  return wanted.flatMap(([isSo, miss]) => (isSo ? [] : [`container ${id} ${miss}`]));
}

async function hasShell(image: string): Promise<readonly string[]> {
  const shell = ["run", "--rm", "--entrypoint", "/bin/sh", image, "-c", "true"];
  return podman(...shell).then(
    () => ["the image has a shell"],
    () => [],
  );
}
