import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyFonts } from "../../cli/copy-fonts.ts";
import { fontFiles } from "../../server/src/pdf/fonts.ts";

const run = promisify(execFile);
export const root = fileURLToPath(new URL("../../", import.meta.url));
/** The build folder of image and package; git ignores it. */
export const dist = join(root, "deploy/dist");

export interface Release {
  readonly version: string;
  readonly commit: string;
  /** The commit time in seconds since 1970. All files get it, so that two builds are equal. */
  readonly seconds: number;
}

/** Builds the package `tollgate` and lays it out in a folder, with Node and an SBOM. */
export async function stageProgram(to: string, node: string): Promise<Release> {
  const { stdout } = await run(process.execPath, [join(root, "cli/pack.ts")]);
  const packed = join(dirname(stdout.trim().split("\n").at(-1) ?? ""), "package");
  await cp(packed, to, { recursive: true });
  await copyFonts(
    fontFiles.filter(({ isLarge }) => isLarge),
    to,
  );
  await mkdir(dirname(node), { recursive: true });
  await cp(process.execPath, node);
  await writeFile(join(to, "sbom.cdx.json"), `${JSON.stringify(await billOfMaterials(), undefined, 2)}\n`);
  const { version, gitHead } = JSON.parse(await readFile(join(to, "package.json"), "utf8")) as {
    readonly version: string;
    readonly gitHead?: string;
  };
  return { version, commit: gitHead ?? "unknown", seconds: await secondsOf(gitHead) };
}

/**
 * `secondsOf` returns the time of a commit. For a source archive, which has no commit, it returns SOURCE_DATE_EPOCH, as
 * is usual for reproducible builds.
 */
async function secondsOf(commit: string | undefined): Promise<number> {
  if (commit === undefined) return Number(process.env["SOURCE_DATE_EPOCH"] ?? 1_700_000_000);
  const { stdout } = await run("git", ["show", "--no-patch", "--format=%ct", commit], { cwd: root });
  return Number(stdout);
}

/** One mode for all files, and one for all executables, because those of the builder's checkout depend on its umask. */
export async function setFileModes(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || /\/bin\/|\.so(\.|$)|\.sh$/.test(path);
    if (!entry.isSymbolicLink()) await chmod(path, isProgram ? 0o755 : 0o644);
  }
}

interface BillOfMaterials {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** A software bill of materials (SBOM), CycloneDX. Without time and random number, so that two builds are equal. */
export async function billOfMaterials(): Promise<BillOfMaterials> {
  // The SBOM lists packages by program. `--omit dev` would also leave out run-time packages that a development
  // dependency needs.
  const programs = ["server", "accounts", "sandbox", "cli"].flatMap((name) => ["-w", name]);
  const form = ["--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const words = ["sbom", ...form, "--omit", "optional", ...programs];
  const { stdout } = await run("npm", [...words, "--package-lock-only"], { cwd: root, maxBuffer: 2 ** 26 });
  const {
    serialNumber: _,
    metadata,
    components,
    ...bill
  } = JSON.parse(stdout) as {
    readonly serialNumber: string;
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly components: BillOfMaterials["components"];
  };
  const { timestamp: __, ...about } = metadata;
  const version = process.versions.node;
  const node = { type: "platform", name: "node", version, purl: `pkg:generic/node@${version}` };
  const complete = { ...bill, metadata: about, components: [...components, node] };
  return complete;
}
