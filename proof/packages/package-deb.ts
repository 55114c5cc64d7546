import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  bootDebian,
  readExposure,
  unitName,
  findConfinementViolations,
  listPaths,
  readPid,
  stopUnit,
  debUnits,
  withJournal,
  type Unit,
} from "./debian-machine.ts";
import type { Variables } from "../installation/installation.ts";
import { podman, type Container } from "./podman.ts";
import {
  prepareHost,
  isReady,
  openCounterparties,
  waitUntil,
  type PreparedHost,
  type Counterparties,
} from "../trial/test-environment.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const signerPage = join(root, "docs/operating/signer.md");
const defaultUnits = ["serve", "work"] as const;
const exposureMax = 2;

/** Builds the package, and returns its path. */
export async function buildDeb(): Promise<string> {
  const { stdout } = await run("npm", ["run", "--silent", "deb"], { cwd: root, maxBuffer: 2 ** 26 });
  return stdout.trim().split("\n").at(-1) ?? "";
}

export interface DebResult {
  readonly exposures: readonly number[];
  readonly misses: readonly string[];
}

/** Installs the package on a machine with systemd, starts its units, sends payments through them, and purges it. */
export async function payThroughDeb(deb: string, payments: number): Promise<DebResult> {
  const lintFindings = await lintErrors(deb);
  const host = await prepareHost(0);
  try {
    const machine = await bootDebian(deb, host);
    try {
      const pathsBefore = await listPaths(machine);
      await machine.exec("dpkg", "--install", `/package/${deb.split("/").at(-1)}`);
      const counterparties = await openCounterparties(host, (...args) => runAsOwner(machine, host, args));
      try {
        const unitResult = await withJournal(machine, () =>
          payThroughUnits({ machine, host, counterparties }, payments),
        );
        const leftovers = await findPurgeLeftovers(machine, pathsBefore);
        return { ...unitResult, misses: [...lintFindings, ...unitResult.misses, ...leftovers] };
      } finally {
        await counterparties.stop();
      }
    } finally {
      await machine.stop();
    }
  } finally {
    await host.stop();
  }
}

interface InstalledMachine {
  readonly machine: Container;
  readonly host: PreparedHost;
  readonly counterparties: Counterparties;
}

/** `payThroughUnits` sends payments through the default units, and then through units with a separate signer. */
async function payThroughUnits(installed: InstalledMachine, payments: number): Promise<DebResult> {
  const { machine, host, counterparties } = installed;
  await writeUnitSettings(machine, host);
  for (const unit of defaultUnits) await machine.exec("systemctl", "enable", "--now", unitName(unit));
  await waitUntil(() => isReady(host.port), "the unit to serve");
  for (let nth = 0; nth < payments; nth += 1) await counterparties.pay();
  await machine.exec("systemctl", "reload", unitName("serve"));
  await counterparties.pay();
  const misses = (await Promise.all(defaultUnits.map((unit) => stopUnit(machine, unit)))).flat();

  await separateSigner(machine, host);
  for (const unit of defaultUnits) await machine.exec("systemctl", "start", unitName(unit));
  await waitUntil(() => isReady(host.port), "the unit to serve with its signer");
  for (let nth = 0; nth < payments; nth += 1) await counterparties.pay();
  for (const unit of defaultUnits)
    if (await hasKey(machine, unit))
      misses.push(`${unitName(unit)} has the key file in addition to a signer`);
  if (!(await hasKey(machine, "signer")))
    misses.push("The signer has no key file, so the check is not reliable");
  const exposures = await Promise.all(debUnits.map((unit) => readExposure(machine, unit)));
  if (exposures.some((exposure) => !(exposure <= exposureMax)))
    misses.push(`a unit is exposed more than ${exposureMax}: ${exposures.join(", ")}`);
  for (const unit of debUnits) misses.push(...(await findConfinementViolations(machine, unit)));
  for (const unit of debUnits) misses.push(...(await stopUnit(machine, unit)));
  return { exposures, misses };
}

async function lintErrors(deb: string): Promise<readonly string[]> {
  // Lintian exits with 2 if there are errors, after it has printed them.
  const { stdout } = await run("lintian", ["--allow-root", deb]).catch((error: { stdout: string }) => error);
  return stdout.split("\n").filter((line) => line.startsWith("E:"));
}

function runAsOwner(machine: Container, host: PreparedHost, args: readonly string[]): Promise<string> {
  const envArgs = Object.entries(host.variables("owner")).flatMap(([name, value]) => [
    "--env",
    `${name}=${value}`,
  ]);
  return podman("exec", ...envArgs, machine.id, "tollgate", ...args);
}

/** Writes the files that the units read. The units set the environment and the path of the key themselves. */
async function writeUnitSettings(machine: Container, host: PreparedHost): Promise<void> {
  for (const unit of defaultUnits) {
    const { TOLLGATE_ENVIRONMENT: _, TOLLGATE_KEY_FILE: __, ...processVariables } = host.variables(unit);
    await installFile(
      machine,
      host,
      formatEnvironment(processVariables),
      `/etc/tollgate/sandbox-${unit}.env`,
    );
  }
  await machine.exec("cp", host.keyFile, "/etc/tollgate/sandbox.key");
}

/** The steps of docs/operating/signer.md, with the drop-in of that page. */
async function separateSigner(machine: Container, host: PreparedHost): Promise<void> {
  const page = readFileSync(signerPage, "utf8").replaceAll("live", "sandbox");
  const dropIn = /```ini\n([^]*?)```/.exec(page)?.[1];
  const steps = /groupadd [^]*?(?=\n\s*```)/.exec(page)?.[0];
  if (!dropIn || !steps) throw new Error("The page about the signer has no drop-in, or no steps.");
  const text = dropIn.replaceAll(/^ +/gm, "");
  for (const unit of defaultUnits)
    await installFile(machine, host, text, `/etc/systemd/system/${unitName(unit)}.d/signer.conf`);
  await machine.exec("systemctl", "daemon-reload");
  await machine.exec("sh", "-ec", steps);
}

async function installFile(
  machine: Container,
  { folder }: PreparedHost,
  text: string,
  path: string,
): Promise<void> {
  const file = join(folder, "put");
  writeFileSync(file, text, { mode: 0o600 });
  await machine.exec("install", "-D", "--mode=600", file, path);
}

function formatEnvironment(variables: Variables): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** Returns whether the unit has the key file: its settings name the file, or systemd passes it as a credential. */
async function hasKey(machine: Container, unit: Unit): Promise<boolean> {
  const variables = await machine.exec("cat", `/proc/${await readPid(machine, unit)}/environ`);
  return variables.split("\0").some((each) => /^(TOLLGATE_KEY_FILE=.|CREDENTIALS_DIRECTORY=)/.test(each));
}

/**
 * Returns the files that a purge leaves. A purge keeps the operator's own files, because all gateway keys would be lost
 * without the key file. So the test removes the operator's files before.
 */
async function findPurgeLeftovers(
  machine: Container,
  pathsBefore: ReadonlySet<string>,
): Promise<readonly string[]> {
  await machine.exec("sh", "-c", "rm -r /etc/tollgate/* /etc/systemd/system/tollgate-*.service.d");
  await machine.exec("dpkg", "--purge", "tollgate");
  const leftovers = [...(await listPaths(machine))].filter(
    (path) => !pathsBefore.has(path) && !/^\/etc\/g?(group|shadow)-$/.test(path),
  );
  const loadedUnits = await machine.exec(
    "systemctl",
    "list-units",
    "--all",
    "--plain",
    "--no-legend",
    "tollgate-*",
  );
  return [
    ...leftovers.map((path) => `purge leaves ${path}`),
    ...loadedUnits.split("\n").flatMap((line) => (line ? [`purge leaves the unit ${line}`] : [])),
  ];
}
