import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { parseDirectory, serializeDirectory, type Directory } from "../../cells/directory.ts";
import { openDocument, signDocument } from "../../signing/signed-document.ts";
import { CommandFailed } from "../../core/command-errors.ts";

/** The operator's directory file: an unsigned draft, or a signed file with the key for the next version. */
export interface DirectoryFile {
  readonly file: string;
  readonly keyFile: string | undefined;
}

/**
 * `openDirectory` reads the directory file, before a move starts. It fails if the file is signed and the key is
 * missing.
 */
export async function openDirectory({ file, keyFile }: DirectoryFile): Promise<Directory> {
  const text = await readFile(file, "utf8");
  const isSigned = Object.hasOwn(Object(JSON.parse(text)) as object, "signature");
  const key = keyFile === undefined ? undefined : await readDirectoryKey(keyFile);
  if (!isSigned) return parseDirectory(text);
  if (!key)
    throw new CommandFailed(`${file} is signed. Give the key for the next version with --directory-key.`);
  return parseDirectory(openDocument("directory", text, [createPublicKey(key)]));
}

/**
 * `changeDirectory` replaces the directory file by the next version, signed if there is a key. It returns the new
 * version number.
 */
export async function changeDirectory(
  directoryFile: DirectoryFile,
  change: (directory: Directory) => Directory,
): Promise<number> {
  const before = await openDirectory(directoryFile);
  const next = change(before);
  // The file is written even if the directory has not changed, so that a draft is signed once there is a key.
  const text = serializeDirectory(next);
  const { file, keyFile } = directoryFile;
  const content =
    keyFile === undefined ? `${text}\n` : signDocument("directory", text, await readDirectoryKey(keyFile));
  await replaceFile(file, content);
  return next.version;
}

export async function readDirectoryKey(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file));
  if (key.asymmetricKeyType !== "ed25519")
    throw new CommandFailed(
      `${file} is not an Ed25519 key. Create one with \`openssl genpkey -algorithm ed25519\`.`,
    );
  return key;
}

/** Replaces a file by atomic rename, so that readers never see a partial file. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** Reads a directory file and verifies its signature with one of the public keys in the key file. */
export async function readSignedDirectory(file: string, keyFile: string): Promise<Directory> {
  const [text, keys] = await Promise.all([readFile(file, "utf8"), readFile(keyFile, "utf8")]);
  return parseDirectory(openDocument("directory", text, publicKeysIn(keys)));
}

/** Returns all public keys of a PEM file. A file can have several, so that the signing key can be rotated. */
function publicKeysIn(pem: string): ReturnType<typeof createPublicKey>[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return blocks.map((block) => createPublicKey(block));
}
