import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { dist, layOutProgram, root, settleModes } from "./tree.ts";

/**
 * Builds the Debian package: `npm run deb`. It brings a Node of its own, because Debian's is older than 24. The last line on
 * standard output is its path; beside it is a file of checksums. The same commit gives the same bytes.
 */
const run = promisify(execFile);
const tree = join(dist, "deb");
const home = join(tree, "opt/tollgate");
const doc = join(tree, "usr/share/doc/tollgate");
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const architecture = architectures[process.arch] ?? process.arch;

await rm(tree, { recursive: true, force: true });
const { version, commit } = await layOutProgram(home, join(home, "bin/node"));
await cp(join(root, "deploy/systemd"), join(tree, "lib/systemd/system"), { recursive: true });
await cp(join(root, "deploy/debian/tollgate"), join(tree, "usr/bin/tollgate"));
await mkdir(join(tree, "etc/tollgate"), { recursive: true });
await mkdir(doc, { recursive: true });
await cp(join(root, "deploy/debian/copyright"), join(doc, "copyright"));
await settleModes(tree);
await mkdir(join(tree, "DEBIAN"));
const control = await readFile(join(root, "deploy/debian/control"), "utf8");
const filled = { VERSION: version, COMMIT: commit, ARCHITECTURE: architecture };
await writeFile(
  join(tree, "DEBIAN/control"),
  control.replaceAll(/@(\w+)@/g, (_, name: keyof typeof filled) => filled[name]),
);
for (const path of await readdir(tree, { recursive: true })) await utimes(join(tree, path), 0, 0);

const name = `tollgate_${version}_${architecture}.deb`;
const path = join(dist, name);
// Times of the archive itself: dpkg-deb takes them from here.
const env = { ...process.env, SOURCE_DATE_EPOCH: "0" };
await run("dpkg-deb", ["--build", "--root-owner-group", "-Zxz", "-z3", tree, path], { env });
const sha256 = createHash("sha256")
  .update(await readFile(path))
  .digest("hex");
await writeFile(join(dist, "SHA256SUMS"), `${sha256}  ${name}\n`);
process.stderr.write(`sha256 ${sha256}\n`);
process.stdout.write(`${path}\n`);
