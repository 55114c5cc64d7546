import { dirname } from "node:path";
import { debianImage } from "./debian-image.ts";
import { startContainer, type Container } from "./podman.ts";
import { until, type Ground } from "../trial/test-environment.ts";

export const unitsOfDeb = ["serve", "work", "signer"] as const;
export type Unit = (typeof unitsOfDeb)[number];

/**
 * Options of the container. Without them systemd can not create the namespaces of a unit, and starts the unit with less
 * confinement than configured.
 */
const confines = "--network host --cap-add=SYS_ADMIN,SYS_PTRACE --security-opt seccomp=unconfined".split(" ");

/**
 * Debian with systemd and without our package. It has this machine's network, and mounts the ground's folder at the
 * same path.
 */
export async function bootDebian(deb: string, { folder }: Ground): Promise<Container> {
  const seen = [`${folder}:${folder}:ro`, `${dirname(deb)}:/package:ro`].flatMap((way) => ["--volume", way]);
  const machine = await startContainer(
    "--systemd=always",
    ...confines,
    ...seen,
    await debianImage(),
    "/sbin/init",
  );
  const state = async (): Promise<string> =>
    machine.inside("systemctl", "is-system-running").catch(() => "starting");
  await until(async () => (await state()) === "running", "Debian to boot");
  // Mounts are shared, as systemd sets it on a real machine: a child process mounts the file of a credential, and all
  // processes must see the mount.
  await machine.inside("mount", "--make-rshared", "/");
  return machine;
}

export function nameOf(unit: Unit): string {
  return `tollgate-${unit}@sandbox.service`;
}

/** An error of `act` is reported together with the journal of the units. */
export async function withJournal<Value>(machine: Container, act: () => Promise<Value>): Promise<Value> {
  return act().catch(async (cause: unknown) => {
    const words = "--no-pager --lines 60 --output cat --unit tollgate-*".split(" ");
    const journal = await machine.inside("journalctl", ...words).catch(String);
    throw new Error(`${String(cause)}\n${journal}`, { cause });
  });
}

/** The exposure level of a unit by systemd-analyze, from 0 to 10. */
export async function exposureOf(machine: Container, unit: Unit): Promise<number> {
  const said = await machine.inside("systemd-analyze", "security", "--no-pager", nameOf(unit));
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(said)?.[1]);
}

/** Violations of the confinement, according to the kernel's data about the process. */
export async function notConfined(machine: Container, unit: Unit): Promise<readonly string[]> {
  const pid = await pidOf(machine, unit);
  const status = await machine.inside("cat", `/proc/${pid}/status`);
  const wanted = [/^Uid:\s+[1-9]/m, /^CapBnd:\s+0+$/m, /^NoNewPrivs:\s+1$/m, /^Seccomp:\s+2$/m];
  return wanted.flatMap((each) => (each.test(status) ? [] : [`${nameOf(unit)}: not ${each.source}`]));
}

export function pidOf(machine: Container, unit: Unit): Promise<string> {
  return machine.inside("systemctl", "show", "--property", "MainPID", "--value", nameOf(unit));
}

/** Stops a unit; returns an error if it had been restarted or did not exit cleanly. */
export async function stopped(machine: Container, unit: Unit): Promise<readonly string[]> {
  await machine.inside("systemctl", "stop", nameOf(unit));
  const asked = ["--property", "Result", "--property", "ExecMainStatus", "--property", "NRestarts"];
  const said = await machine.inside("systemctl", "show", ...asked, nameOf(unit));
  const isClean = ["Result=success", "ExecMainStatus=0", "NRestarts=0"].every((line) => said.includes(line));
  return isClean ? [] : [`${nameOf(unit)} ended with ${said.split("\n").join(" ")}`];
}

/** Paths that dpkg, systemd and their journal write for every package or process. */
const written = /^\/(proc|sys|dev|run|tmp|var\/(log|tmp|cache|lib\/(dpkg|systemd)))(\/|$)/;

/** Returns every path of the machine, except those that dpkg, systemd and the journal write. */
export async function pathsOf(machine: Container): Promise<ReadonlySet<string>> {
  const all = await machine.inside("find", "/", "-xdev", "-not", "-path", "/proc/*");
  return new Set(all.split("\n").filter((path) => path && !written.test(path)));
}
