import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { dist, stageProgram, root, setFileModes } from "./tree.ts";

/**
 * Builds the Debian package: `npm run deb`. It includes Node, because Debian's is older than 24. The last line on
 * standard output is its path; a checksum file is next to it. The same commit gives the same bytes.
 */
const run = promisify(execFile);
const tree = join(dist, "deb");
const home = join(tree, "usr/lib/tollgate");
const doc = join(tree, "usr/share/doc/tollgate");
const lintianOverrides = join(tree, "usr/share/lintian/overrides");
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const architecture = architectures[process.arch] ?? process.arch;

await rm(tree, { recursive: true, force: true });
const { version: released, commit, seconds } = await stageProgram(home, join(home, "bin/node"));
// The tilde makes a candidate older than its release, because dpkg sorts a tilde before the end of a version.
const version = released.replace("-rc.", "~rc.");
await cp(join(root, "deploy/systemd"), join(tree, "lib/systemd/system"), { recursive: true });
await cp(join(root, "deploy/debian/tollgate"), join(tree, "usr/bin/tollgate"));
await mkdir(join(tree, "etc/tollgate"), { recursive: true });
await mkdir(doc, { recursive: true });
await cp(join(root, "deploy/debian/copyright"), join(doc, "copyright"));
await cp(join(root, "deploy/postgres/roles.sql"), join(doc, "roles.sql"));
await mkdir(lintianOverrides, { recursive: true });
await cp(join(root, "deploy/debian/lintian-overrides"), join(lintianOverrides, "tollgate"));
const date = new Date(seconds * 1_000).toUTCString().replace("GMT", "+0000");
const templateValues = { VERSION: version, COMMIT: commit, ARCHITECTURE: architecture, DATE: date };
await writeFile(join(doc, "changelog.gz"), gzipSync(await fillTemplate("changelog"), { level: 9 }));
await setFileModes(tree);
// It contains settings with passwords.
await chmod(join(tree, "etc/tollgate"), 0o700);
await mkdir(join(tree, "DEBIAN"));
await writeFile(join(tree, "DEBIAN/control"), await fillTemplate("control"));
for (const script of ["postinst", "prerm", "postrm"]) {
  await writeFile(join(tree, "DEBIAN", script), await fillTemplate(script));
  await chmod(join(tree, "DEBIAN", script), 0o755);
}
for (const path of await readdir(tree, { recursive: true })) await utimes(join(tree, path), seconds, seconds);

const name = `tollgate_${version}_${architecture}.deb`;
const path = join(dist, name);
// `dpkg-deb` uses SOURCE_DATE_EPOCH as the timestamp of the archive itself.
const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) };
await run("dpkg-deb", ["--build", "--root-owner-group", "-Zxz", "-z3", tree, path], { env });
const sha256 = createHash("sha256")
  .update(await readFile(path))
  .digest("hex");
await writeFile(join(dist, "SHA256SUMS"), `${sha256}  ${name}\n`);
process.stderr.write(`sha256 ${sha256}\n`);
process.stdout.write(`${path}\n`);

/** A file of deploy/debian, with the values of this build. */
async function fillTemplate(file: string): Promise<string> {
  const text = await readFile(join(root, "deploy/debian", file), "utf8");
  return text.replaceAll(/@(\w+)@/g, (_, word: keyof typeof templateValues) => templateValues[word]);
}
