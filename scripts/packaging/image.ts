import { execFile } from "node:child_process";
import { cp, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { dist, stageProgram, root, setFileModes } from "./tree.ts";

/**
 * Builds the image with buildah: `npm run image`. The last line on standard output is its id. The same commit gives the
 * same id on every machine with the same Node and the same C library.
 */
const run = promisify(execFile);
const context = join(dist, "image");
const tree = join(context, "root");

await rm(context, { recursive: true, force: true });
const { version, commit } = await stageProgram(join(tree, "opt/tollgate"), join(tree, "usr/bin/node"));
await copyLibraries();
await mkdir(join(tree, "etc"), { recursive: true });
await writeFile(join(tree, "etc/passwd"), "tollgate:x:65532:65532::/:/nowhere\n");
await writeFile(join(tree, "etc/group"), "tollgate:x:65532:\n");
await writeFile(join(tree, "etc/nsswitch.conf"), "hosts: files dns\n");
await setFileModes(tree);
const labels = {
  "org.opencontainers.image.title": "Tollgate",
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.revision": commit,
  "org.opencontainers.image.licenses": "Apache-2.0",
};
const name = `localhost/tollgate:${version}`;
const reproducibleOptions = "--quiet --no-cache --timestamp 0 --isolation chroot".split(" ");
// Without this option, the image's id would depend on the version of buildah.
const noIdentityLabel = "--identity-label=false";
const labelOptions = Object.entries(labels).flatMap(([label, value]) => ["--label", `${label}=${value}`]);
const file = join(root, "deploy/image/Containerfile");
const words = [
  "build",
  ...reproducibleOptions,
  noIdentityLabel,
  ...labelOptions,
  "--tag",
  name,
  "--file",
  file,
  context,
];
const { stdout } = await run("buildah", words, { maxBuffer: 2 ** 26 });
process.stderr.write(`${name}\n`);
process.stdout.write(`${stdout.trim().split("\n").at(-1)}\n`);

/**
 * Returns the C library and the other shared libraries that the loader finds for this Node. Name resolution needs no
 * other file, because it is part of the C library.
 */
async function copyLibraries(): Promise<void> {
  const { stdout: libraries } = await run("ldd", [process.execPath]);
  for (const path of libraries.match(/\/\S+(?= \()/g) ?? []) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await cp(await realpath(path), join(tree, path));
  }
}
