import { execFile } from "node:child_process";
import { createHash, createPrivateKey, sign } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { dist, root } from "./tree.ts";

/**
 * Builds everything for a server release in one folder: `npm run release:server`. It contains image, Debian package,
 * chart, SBOMs and checksums, signed if TOLLGATE_RELEASE_KEY is the path of an Ed25519 key. The same commit gives the
 * same bytes. The last line on standard output is the folder.
 */
const run = promisify(execFile);
const folder = join(dist, "release");
const layout = join(dist, "oci");
/** Options of tar that make an archive independent of its builder and time. */
const reproducibleOptions = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const image = await lastLineOf("image.ts");
const deb = await lastLineOf("deb.ts");
// The version as in package.json. Debian's form has a tilde for a candidate, which image tags do not allow.
const version = (/_(.+)_/.exec(basename(deb))?.[1] ?? "").replace("~", "-");
await cp(deb, join(folder, basename(deb)));
await archiveImage(`tollgate-${version}.oci.tar`);
await cp(join(dist, "image/root/opt/tollgate/sbom.cdx.json"), join(folder, `tollgate-${version}.cdx.json`));
await archive(`tollgate-chart-${version}.tgz`, join(root, "deploy/helm"), "tollgate");
const sums = await writeSums();
const keyFile = process.env["TOLLGATE_RELEASE_KEY"];
if (keyFile)
  await writeFile(
    join(folder, "SHA256SUMS.sig"),
    sign(null, sums, createPrivateKey(await readFile(keyFile))),
  );
else process.stderr.write("Not signed: TOLLGATE_RELEASE_KEY is not set.\n");
process.stdout.write(`${folder}\n`);

async function lastLineOf(program: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, program)], {
    maxBuffer: 2 ** 26,
  });
  return stdout.trim().split("\n").at(-1) ?? "";
}

/**
 * `archiveImage` writes the image as an archive that podman, docker and skopeo can read. These programs themselves
 * would write the current time into the archive.
 */
async function archiveImage(name: string): Promise<void> {
  await rm(layout, { recursive: true, force: true });
  await run("buildah", ["push", "--quiet", image, `oci:${layout}:tollgate:${version}`]);
  await archive(name, layout, ".");
}

async function archive(name: string, from: string, archivedPath: string): Promise<void> {
  const compressionOptions = name.endsWith("gz") ? ["--use-compress-program", "gzip --no-name --best"] : [];
  await run("tar", [
    "--create",
    ...compressionOptions,
    ...reproducibleOptions,
    "--mode=u=rwX,go=rX",
    "--file",
    join(folder, name),
    "--directory",
    from,
    archivedPath,
  ]);
}

async function writeSums(): Promise<Buffer> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const sha256 = createHash("sha256").update(await readFile(join(folder, name)));
    lines.push(`${sha256.digest("hex")}  ${name}\n`);
  }
  const text = Buffer.from(lines.join(""));
  await writeFile(join(folder, "SHA256SUMS"), text);
  return text;
}
