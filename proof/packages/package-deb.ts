import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  bootDebian,
  exposureOf,
  nameOf,
  notConfined,
  pathsOf,
  pidOf,
  stopped,
  unitsOfDeb,
  withJournal,
  type Unit,
} from "./debian-machine.ts";
import type { Variables } from "../installation/installation.ts";
import { podman, type Container } from "./podman.ts";
import {
  breakGround,
  isReady,
  openStreet,
  until,
  type Ground,
  type Street,
} from "../trial/test-environment.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const signerPage = join(root, "docs/operating/signer.md");
const usual = ["serve", "work"] as const;
const exposedMost = 2;

/** Builds the package, and returns its path. */
export async function buildDeb(): Promise<string> {
  const { stdout } = await run("npm", ["run", "--silent", "deb"], { cwd: root, maxBuffer: 2 ** 26 });
  return stdout.trim().split("\n").at(-1) ?? "";
}

export interface DebShown {
  readonly exposures: readonly number[];
  readonly misses: readonly string[];
}

/** Installs the package on a machine with systemd, starts its units, sends payments through them, and purges it. */
export async function payThroughDeb(deb: string, payments: number): Promise<DebShown> {
  const lint = await lintErrors(deb);
  const ground = await breakGround(0);
  try {
    const machine = await bootDebian(deb, ground);
    try {
      const before = await pathsOf(machine);
      await machine.inside("dpkg", "--install", `/package/${deb.split("/").at(-1)}`);
      const street = await openStreet(ground, (...words) => asOwner(machine, ground, words));
      try {
        const shown = await withJournal(machine, () =>
          payThroughUnits({ machine, ground, street }, payments),
        );
        const left = await leftByPurge(machine, before);
        return { ...shown, misses: [...lint, ...shown.misses, ...left] };
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

interface Installed {
  readonly machine: Container;
  readonly ground: Ground;
  readonly street: Street;
}

/** `payThroughUnits` sends payments through the default units, and then through units with a separate signer. */
async function payThroughUnits(installed: Installed, payments: number): Promise<DebShown> {
  const { machine, ground, street } = installed;
  await settle(machine, ground);
  for (const unit of usual) await machine.inside("systemctl", "enable", "--now", nameOf(unit));
  await until(() => isReady(ground.port), "the unit to serve");
  for (let nth = 0; nth < payments; nth += 1) await street.pay();
  await machine.inside("systemctl", "reload", nameOf("serve"));
  await street.pay();
  const misses = (await Promise.all(usual.map((unit) => stopped(machine, unit)))).flat();

  await setSignerApart(machine, ground);
  for (const unit of usual) await machine.inside("systemctl", "start", nameOf(unit));
  await until(() => isReady(ground.port), "the unit to serve with its signer");
  for (let nth = 0; nth < payments; nth += 1) await street.pay();
  for (const unit of usual)
    if (await hasKey(machine, unit)) misses.push(`${nameOf(unit)} has the key file in addition to a signer`);
  if (!(await hasKey(machine, "signer")))
    misses.push("The signer has no key file, so the check is not reliable");
  const exposures = await Promise.all(unitsOfDeb.map((unit) => exposureOf(machine, unit)));
  if (exposures.some((exposure) => !(exposure <= exposedMost)))
    misses.push(`a unit is exposed more than ${exposedMost}: ${exposures.join(", ")}`);
  for (const unit of unitsOfDeb) misses.push(...(await notConfined(machine, unit)));
  for (const unit of unitsOfDeb) misses.push(...(await stopped(machine, unit)));
  return { exposures, misses };
}

async function lintErrors(deb: string): Promise<readonly string[]> {
  // Lintian exits with 2 if there are errors, after it has printed them.
  const { stdout } = await run("lintian", ["--allow-root", deb]).catch((error: { stdout: string }) => error);
  return stdout.split("\n").filter((line) => line.startsWith("E:"));
}

function asOwner(machine: Container, ground: Ground, words: readonly string[]): Promise<string> {
  const told = Object.entries(ground.variables("owner")).flatMap(([name, value]) => [
    "--env",
    `${name}=${value}`,
  ]);
  return podman("exec", ...told, machine.id, "tollgate", ...words);
}

/** Writes the files that the units read. The units set the environment and the path of the key themselves. */
async function settle(machine: Container, ground: Ground): Promise<void> {
  for (const unit of usual) {
    const { TOLLGATE_ENVIRONMENT: _, TOLLGATE_KEY_FILE: __, ...own } = ground.variables(unit);
    await put(machine, ground, linesOf(own), `/etc/tollgate/sandbox-${unit}.env`);
  }
  await machine.inside("cp", ground.keyFile, "/etc/tollgate/sandbox.key");
}

/** The steps of docs/operating/signer.md, with the drop-in of that page. */
async function setSignerApart(machine: Container, ground: Ground): Promise<void> {
  const page = readFileSync(signerPage, "utf8").replaceAll("live", "sandbox");
  const dropIn = /```ini\n([^]*?)```/.exec(page)?.[1];
  const steps = /groupadd [^]*?(?=\n\s*```)/.exec(page)?.[0];
  if (!dropIn || !steps) throw new Error("The page about the signer has no drop-in, or no steps.");
  const text = dropIn.replaceAll(/^ +/gm, "");
  for (const unit of usual)
    await put(machine, ground, text, `/etc/systemd/system/${nameOf(unit)}.d/signer.conf`);
  await machine.inside("systemctl", "daemon-reload");
  await machine.inside("sh", "-ec", steps);
}

async function put(machine: Container, { folder }: Ground, text: string, path: string): Promise<void> {
  const file = join(folder, "put");
  writeFileSync(file, text, { mode: 0o600 });
  await machine.inside("install", "-D", "--mode=600", file, path);
}

function linesOf(variables: Variables): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** Returns whether the unit has the key file: its settings name the file, or systemd passes it as a credential. */
async function hasKey(machine: Container, unit: Unit): Promise<boolean> {
  const variables = await machine.inside("cat", `/proc/${await pidOf(machine, unit)}/environ`);
  return variables.split("\0").some((each) => /^(TOLLGATE_KEY_FILE=.|CREDENTIALS_DIRECTORY=)/.test(each));
}

/**
 * Returns the files that a purge leaves. A purge keeps the operator's own files, because all gateway keys would be lost
 * without the key file. So the test removes the operator's files before.
 */
async function leftByPurge(machine: Container, before: ReadonlySet<string>): Promise<readonly string[]> {
  await machine.inside("sh", "-c", "rm -r /etc/tollgate/* /etc/systemd/system/tollgate-*.service.d");
  await machine.inside("dpkg", "--purge", "tollgate");
  const left = [...(await pathsOf(machine))].filter(
    (path) => !before.has(path) && !/^\/etc\/g?(group|shadow)-$/.test(path),
  );
  const loaded = await machine.inside(
    "systemctl",
    "list-units",
    "--all",
    "--plain",
    "--no-legend",
    "tollgate-*",
  );
  return [
    ...left.map((path) => `purge leaves ${path}`),
    ...loaded.split("\n").flatMap((line) => (line ? [`purge leaves the unit ${line}`] : [])),
  ];
}
