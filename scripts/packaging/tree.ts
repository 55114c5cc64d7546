import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** Where the image and the package are made; git ignores it. */
export const dist = join(root, "deploy/dist");

export interface Release {
  readonly version: string;
  readonly commit: string;
  /** When the commit was made, in seconds since 1970: the time of all files, so that two builds are equal. */
  readonly seconds: number;
}

/** Makes the package `tollgate` and lays it out in a folder, with Node and a list of all that is in it. */
export async function layOutProgram(to: string, node: string): Promise<Release> {
  const { stdout } = await run(process.execPath, [join(root, "cli/pack.ts")]);
  const packed = join(dirname(stdout.trim().split("\n").at(-1) ?? ""), "package");
  await cp(packed, to, { recursive: true });
  await mkdir(dirname(node), { recursive: true });
  await cp(process.execPath, node);
  await writeFile(join(to, "sbom.cdx.json"), `${JSON.stringify(await billOfMaterials(), undefined, 2)}\n`);
  const { version, gitHead } = JSON.parse(await readFile(join(to, "package.json"), "utf8")) as {
    readonly version: string;
    readonly gitHead?: string;
  };
  return { version, commit: gitHead ?? "unknown", seconds: await secondsOf(gitHead) };
}

/** An archive of the sources has no commit: then as reproducible builds have it, by SOURCE_DATE_EPOCH. */
async function secondsOf(commit: string | undefined): Promise<number> {
  if (commit === undefined) return Number(process.env["SOURCE_DATE_EPOCH"] ?? 1_700_000_000);
  const { stdout } = await run("git", ["show", "--no-patch", "--format=%ct", commit], { cwd: root });
  return Number(stdout);
}

/** One mode for all files, and one for all that can be run: those of the builder's checkout depend on its umask. */
export async function settleModes(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || /\/bin\/|\.so(\.|$)|\.sh$/.test(path);
    if (!entry.isSymbolicLink()) await chmod(path, isProgram ? 0o755 : 0o644);
  }
}

/** A software bill of materials (SBOM), CycloneDX. Without its time and its random number, so that two builds are equal. */
async function billOfMaterials(): Promise<object> {
  const words = [
    "sbom",
    "--sbom-format",
    "cyclonedx",
    "--sbom-type",
    "application",
    "--omit",
    "dev",
    "--omit",
    "optional",
  ];
  const { stdout } = await run("npm", [...words, "--package-lock-only"], { cwd: root, maxBuffer: 2 ** 26 });
  const {
    serialNumber: _,
    metadata,
    components,
    ...bill
  } = JSON.parse(stdout) as {
    readonly serialNumber: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly components: readonly object[];
  };
  const { timestamp: __, ...about } = metadata;
  const version = process.versions.node;
  const node = { type: "platform", name: "node", version, purl: `pkg:generic/node@${version}` };
  return { ...bill, metadata: about, components: [...components, node] };
}
