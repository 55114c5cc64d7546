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

export interface ReleaseResult {
  readonly files: number;
  /** The digest of the checksum file, which identifies the contents of all files. */
  readonly id: string;
  /** Kinds of tampering with which verify.sh was tested. */
  readonly tamperingCount: number;
  readonly misses: readonly string[];
}

/** Builds a release twice and verifies it; a changed copy must be rejected. */
export async function checkRelease(): Promise<ReleaseResult> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  try {
    const [key, publicKey] = await newKey(folder, "own");
    const [, otherKey] = await newKey(folder, "otherKey");
    const [first, second] = [join(folder, "first"), join(folder, "second")];
    for (const copy of [first, second]) cpSync(await buildRelease(key), copy, { recursive: true });
    const readBase64 = (from: string, name: string): string => readFileSync(join(from, name), "base64");
    const areEqual = ["SHA256SUMS", "SHA256SUMS.sig"].every(
      (name) => readBase64(first, name) === readBase64(second, name),
    );
    const names = readdirSync(first);
    const verificationError = await verifyRelease(first, publicKey);
    const undetected = await Promise.all(
      Object.entries(tampering).map(async ([description, tamper]) => {
        const copy = join(folder, description.replaceAll(" ", "-"));
        cpSync(first, copy, { recursive: true });
        tamper(copy, names);
        return (await verifyRelease(copy, publicKey))
          ? []
          : [`verify.sh accepts a release with ${description}`];
      }),
    );
    return {
      files: names.length,
      id: createHash("sha256")
        .update(readFileSync(join(first, "SHA256SUMS")))
        .digest("hex"),
      tamperingCount: Object.keys(tampering).length + 1,
      misses: [
        ...(areEqual ? [] : ["two releases of one commit differ"]),
        ...(verificationError ? [`verify.sh: ${verificationError}`] : []),
        ...((await verifyRelease(first, otherKey)) ? [] : ["verify.sh accepts a release with another key"]),
        ...undetected.flat(),
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
  const [privateKeyFile, publicKeyFile] = [join(folder, `${name}.pem`), join(folder, `${name}-public.pem`)];
  await run("openssl", ["genpkey", "-algorithm", "ed25519", "-out", privateKeyFile]);
  await run("openssl", ["pkey", "-in", privateKeyFile, "-pubout", "-out", publicKeyFile]);
  return [privateKeyFile, publicKeyFile];
}

async function buildRelease(key: string): Promise<string> {
  const env = { ...podmanEnvironment, TOLLGATE_RELEASE_KEY: key };
  const execOptions = { cwd: root, env, maxBuffer: 2 ** 26 };
  const { stdout } = await run("npm", ["run", "--silent", "release:server"], execOptions);
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** Returns an empty text if the release is complete and signed by this key; otherwise the reason. */
async function verifyRelease(folder: string, publicKey: string): Promise<string> {
  return run("sh", [verifier, folder, publicKey]).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`.trim() || "refused",
  );
}
