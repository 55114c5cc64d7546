import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { podmanEnvironment } from "./podman.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const verifier = join(root, "deploy/verify.sh");

export interface ReleaseShown {
  readonly files: number;
  /** The digest of the checksum file, which identifies the contents of all files. */
  readonly id: string;
  /** Kinds of tampering with which verify.sh was tested. */
  readonly tampered: number;
  readonly misses: readonly string[];
}

/** Builds a release twice and verifies it; a changed copy must be rejected. */
export async function makeRelease(): Promise<ReleaseShown> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  try {
    const [key, publicKey] = await newKey(folder, "own");
    const [, otherKey] = await newKey(folder, "otherKey");
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    for (const copy of [first, second]) cpSync(await release(key), copy, { recursive: true });
    const read = (from: string, name: string): string => readFileSync(join(from, name), "base64");
    const same = ["SHA256SUMS", "SHA256SUMS.sig"].every((name) => read(first, name) === read(second, name));
    const names = readdirSync(first);
    const wrong = await verified(first, publicKey);
    const unseen = await Promise.all(
      Object.entries(tampering).map(async ([what, tamper]) => {
        const copy = join(folder, what.replaceAll(" ", "-"));
        cpSync(first, copy, { recursive: true });
        tamper(copy, names);
        return (await verified(copy, publicKey)) ? [] : [`verify.sh accepts a release with ${what}`];
      }),
    );
    return {
      files: names.length,
      id: createHash("sha256")
        .update(readFileSync(join(first, "SHA256SUMS")))
        .digest("hex"),
      tampered: Object.keys(tampering).length + 1,
      misses: [
        ...(same ? [] : ["two releases of one commit differ"]),
        ...(wrong ? [`verify.sh: ${wrong}`] : []),
        ...((await verified(first, otherKey)) ? [] : ["verify.sh accepts a release with another key"]),
        ...unseen.flat(),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tampering: Readonly<Record<string, (folder: string, names: readonly string[]) => void>> = {
  "a longer package": (folder, names) =>
    appendFileSync(join(folder, names.find((name) => name.endsWith(".deb")) ?? ""), "x"),
  "a flipped bit": (folder, names) => {
    const file = join(folder, names.find((name) => name.endsWith(".oci.tar")) ?? "");
    const bytes = readFileSync(file);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  },
  "another checksum": (folder) => {
    const file = join(folder, "SHA256SUMS");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, (text.startsWith("0") ? "1" : "0") + text.slice(1));
  },
  "one file more": (folder) => writeFileSync(join(folder, "install.sh"), "true\n"),
  "one file less": (folder, names) =>
    rmSync(join(folder, names.find((name) => name.endsWith(".cdx.json")) ?? "")),
};

/** Creates a signing key as docs/operating/releases.md describes. */
async function newKey(
  folder: string,
  name: string,
): Promise<readonly [privateKey: string, publicKey: string]> {
  const [own, told] = [join(folder, `${name}.pem`), join(folder, `${name}-public.pem`)];
  await run("openssl", ["genpkey", "-algorithm", "ed25519", "-out", own]);
  await run("openssl", ["pkey", "-in", own, "-pubout", "-out", told]);
  return [own, told];
}

async function release(key: string): Promise<string> {
  const env = { ...podmanEnvironment, TOLLGATE_RELEASE_KEY: key };
  const how = { cwd: root, env, maxBuffer: 2 ** 26 };
  const { stdout } = await run("npm", ["run", "--silent", "release:server"], how);
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** Returns an empty text if the release is complete and signed by this key; otherwise the reason. */
async function verified(folder: string, publicKey: string): Promise<string> {
  return run("sh", [verifier, folder, publicKey]).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`.trim() || "refused",
  );
}
