import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { debianImage } from "./debian-image.ts";
import type { Variables } from "./installation.ts";
import { podman, startContainer, type Container } from "./podman.ts";
import { breakGround, isReady, openStreet, until, type Ground } from "./surroundings.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../", import.meta.url));
const units = ["serve", "work"] as const;
const most = 2;

/** Builds the package, and gives its path. */
export async function buildDeb(): Promise<string> {
  const { stdout } = await run("npm", ["run", "--silent", "deb"], { cwd: root, maxBuffer: 2 ** 26 });
  return stdout.trim().split("\n").at(-1) ?? "";
}

export interface DebShown {
  /** By systemd-analyze, from 0 to 10: how much of the machine a unit could reach. */
  readonly exposures: readonly number[];
  readonly misses: readonly string[];
}

/** The package is installed where systemd runs, its units are started, and payments go through them. */
export async function payThroughDeb(deb: string, payments: number): Promise<DebShown> {
  const misses = [...(await lintErrors(deb))];
  const ground = await breakGround(0);
  try {
    const machine = await bootDebian(deb, ground);
    try {
      await machine.inside("dpkg", "--install", `/package/${deb.split("/").at(-1)}`);
      const street = await openStreet(ground, (...words) => asOwner(machine, ground, words));
      try {
        await settle(machine, ground);
        for (const unit of units) await machine.inside("systemctl", "start", nameOf(unit));
        await until(() => isReady(ground.port), "the unit to serve").catch(async (cause: unknown) => {
          const journal = await machine.inside(
            "journalctl",
            "--no-pager",
            "--lines",
            "40",
            "--unit",
            "tollgate-*",
          );
          throw new Error(journal, { cause });
        });
        for (let nth = 0; nth < payments; nth += 1) await street.pay();
        await machine.inside("systemctl", "reload", nameOf("serve"));
        await street.pay();
        const exposures = await Promise.all(units.map((unit) => exposureOf(machine, unit)));
        if (exposures.some((exposure) => exposure > most)) misses.push(`a unit is exposed more than ${most}`);
        for (const unit of units)
          misses.push(...(await notConfined(machine, unit)), ...(await stopped(machine, unit)));
        return { exposures, misses };
      } finally {
        await street.stop();
      }
    } finally {
      await machine.stop();
    }
  } finally {
    await ground.stop();
  }
}

async function lintErrors(deb: string): Promise<readonly string[]> {
  // It ends with 2 when there are errors, which it has printed then.
  const { stdout } = await run("lintian", ["--allow-root", deb]).catch((error: { stdout: string }) => error);
  return stdout.split("\n").filter((line) => line.startsWith("E:"));
}

/** Without these systemd cannot make the namespaces of a unit, and starts it with less confinement than it asks for. */
const confines = "--network host --cap-add=SYS_ADMIN,SYS_PTRACE --security-opt seccomp=unconfined".split(" ");

/** Debian with systemd and nothing of ours. It has this machine's network, and sees the ground at the same path. */
async function bootDebian(deb: string, { folder }: Ground): Promise<Container> {
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
  // As systemd does where it is no guest: the file of a credential is mounted by a child, and has to be seen by all.
  await machine.inside("mount", "--make-rshared", "/");
  return machine;
}

function asOwner(machine: Container, ground: Ground, words: readonly string[]): Promise<string> {
  const told = Object.entries(ground.variables("owner")).flatMap(([name, value]) => [
    "--env",
    `${name}=${value}`,
  ]);
  return podman("exec", ...told, machine.id, "tollgate", ...words);
}

/** The files that the units read. They set the environment and the place of the key themselves. */
async function settle(machine: Container, ground: Ground): Promise<void> {
  for (const unit of units) {
    const { TOLLGATE_ENVIRONMENT: _, TOLLGATE_KEY_FILE: __, ...own } = ground.variables(unit);
    const file = join(ground.folder, `${unit}.env`);
    writeFileSync(file, linesOf(own), { mode: 0o400 });
    await machine.inside("cp", file, `/etc/tollgate/sandbox-${unit}.env`);
  }
  await machine.inside("cp", ground.keyFile, "/etc/tollgate/sandbox.key");
}

function linesOf(variables: Variables): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

function nameOf(unit: (typeof units)[number]): string {
  return `tollgate-${unit}@sandbox.service`;
}

async function exposureOf(machine: Container, unit: (typeof units)[number]): Promise<number> {
  const said = await machine.inside("systemd-analyze", "security", "--no-pager", nameOf(unit));
  return Number(/Overall exposure level for \S+: ([\d.]+)/.exec(said)?.[1]);
}

/** What the kernel says about the process. */
async function notConfined(machine: Container, unit: (typeof units)[number]): Promise<readonly string[]> {
  const pid = await machine.inside("systemctl", "show", "--property", "MainPID", "--value", nameOf(unit));
  const status = await machine.inside("cat", `/proc/${pid}/status`);
  const wanted = [/^Uid:\s+[1-9]/m, /^CapBnd:\s+0+$/m, /^NoNewPrivs:\s+1$/m, /^Seccomp:\s+2$/m];
  return wanted.flatMap((each) => (each.test(status) ? [] : [`${nameOf(unit)}: not ${each.source}`]));
}

async function stopped(machine: Container, unit: (typeof units)[number]): Promise<readonly string[]> {
  await machine.inside("systemctl", "stop", nameOf(unit));
  const asked = ["--property", "Result", "--property", "ExecMainStatus", "--property", "NRestarts"];
  const said = await machine.inside("systemctl", "show", ...asked, nameOf(unit));
  const isClean = ["Result=success", "ExecMainStatus=0", "NRestarts=0"].every((line) => said.includes(line));
  return isClean ? [] : [`${nameOf(unit)} ended with ${said.split("\n").join(" ")}`];
}
