import { dirname } from "node:path";
import { buildDebianImage } from "./debian-image.ts";
import { startContainer, type Container } from "./podman.ts";
import { waitUntil, type PreparedHost } from "../trial/test-environment.ts";

export const debUnits = ["serve", "work", "signer"] as const;
export type Unit = (typeof debUnits)[number];

/**
 * Options of the container. Without them systemd can not create the namespaces of a unit, and starts the unit with less
 * confinement than configured.
 */
const confinementOptions =
  "--network host --cap-add=SYS_ADMIN,SYS_PTRACE --security-opt seccomp=unconfined".split(" ");

/**
 * Debian with systemd and without our package. It has this machine's network, and mounts the ground's folder at the
 * same path.
 */
export async function bootDebian(deb: string, { folder }: PreparedHost): Promise<Container> {
  const volumes = [`${folder}:${folder}:ro`, `${dirname(deb)}:/package:ro`].flatMap((volume) => [
    "--volume",
    volume,
  ]);
  const machine = await startContainer(
    "--systemd=always",
    ...confinementOptions,
    ...volumes,
    await buildDebianImage(),
    "/sbin/init",
  );
  const state = async (): Promise<string> =>
    machine.exec("systemctl", "is-system-running").catch(() => "starting");
  await waitUntil(async () => (await state()) === "running", "Debian to boot");
  // Mounts are shared, as systemd sets it on a real machine: a child process mounts the file of a credential, and all
  // processes must see the mount.
  await machine.exec("mount", "--make-rshared", "/");
  return machine;
}

export function unitName(unit: Unit): string {
  return `tollgate-${unit}@sandbox.service`;
}

/** An error of `action` is reported together with the journal of the units. */
export async function withJournal<Value>(machine: Container, action: () => Promise<Value>): Promise<Value> {
  return action().catch(async (cause: unknown) => {
    const args = "--no-pager --lines 60 --output cat --unit tollgate-*".split(" ");
    const journal = await machine.exec("journalctl", ...args).catch(String);
    throw new Error(`${String(cause)}\n${journal}`, { cause });
  });
}

/** The exposure level of a unit by systemd-analyze, from 0 to 10. */
export async function readExposure(machine: Container, unit: Unit): Promise<number> {
  const output = await machine.exec("systemd-analyze", "security", "--no-pager", unitName(unit));
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1]);
}

/** Violations of the confinement, according to the kernel's data about the process. */
export async function findConfinementViolations(machine: Container, unit: Unit): Promise<readonly string[]> {
  const pid = await readPid(machine, unit);
  const status = await machine.exec("cat", `/proc/${pid}/status`);
  const requiredPatterns = [/^Uid:\s+[1-9]/m, /^CapBnd:\s+0+$/m, /^NoNewPrivs:\s+1$/m, /^Seccomp:\s+2$/m];
  return requiredPatterns.flatMap((each) =>
    each.test(status) ? [] : [`${unitName(unit)}: not ${each.source}`],
  );
}

export function readPid(machine: Container, unit: Unit): Promise<string> {
  return machine.exec("systemctl", "show", "--property", "MainPID", "--value", unitName(unit));
}

/** Stops a unit; returns an error if it had been restarted or did not exit cleanly. */
export async function stopUnit(machine: Container, unit: Unit): Promise<readonly string[]> {
  await machine.exec("systemctl", "stop", unitName(unit));
  const properties = ["--property", "Result", "--property", "ExecMainStatus", "--property", "NRestarts"];
  const output = await machine.exec("systemctl", "show", ...properties, unitName(unit));
  const isClean = ["Result=success", "ExecMainStatus=0", "NRestarts=0"].every((line) =>
    output.includes(line),
  );
  return isClean ? [] : [`${unitName(unit)} ended with ${output.split("\n").join(" ")}`];
}

/** Paths that dpkg, systemd and their journal write for every package or process. */
const systemWrittenPaths = /^\/(proc|sys|dev|run|tmp|var\/(log|tmp|cache|lib\/(dpkg|systemd)))(\/|$)/;

/** Returns every path of the machine, except those that dpkg, systemd and the journal write. */
export async function listPaths(machine: Container): Promise<ReadonlySet<string>> {
  const output = await machine.exec("find", "/", "-xdev", "-not", "-path", "/proc/*");
  return new Set(output.split("\n").filter((path) => path && !systemWrittenPaths.test(path)));
}
