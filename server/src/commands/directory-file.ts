import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { readDirectory, writeDirectory, type Directory } from "../cells/directory.ts";
import { openDocument, signDocument } from "../signing/signed-document.ts";
import { Impossible } from "./command.ts";

/** The directory as an operator keeps it: a draft, or signed when the key is there to sign the next version. */
export interface DirectoryFile {
  readonly file: string;
  readonly keyFile: string | undefined;
}

/** Reads it, and refuses what could not be written again: asked before anything is moved. */
export async function openDirectory({ file, keyFile }: DirectoryFile): Promise<Directory> {
  const text = await readFile(file, "utf8");
  const isSigned = Object.hasOwn(Object(JSON.parse(text)) as object, "signature");
  const key = keyFile === undefined ? undefined : await directoryKeyIn(keyFile);
  if (!isSigned) return readDirectory(text);
  if (!key)
    throw new Impossible(`${file} is signed: give the key that signs the next version with --directory-key.`);
  return readDirectory(openDocument("directory", text, [createPublicKey(key)]));
}

/** Writes the next version in the place of the one that is there, signed if there is a key. Gives the version that is there then. */
export async function changeDirectory(
  kept: DirectoryFile,
  change: (directory: Directory) => Directory,
): Promise<number> {
  const before = await openDirectory(kept);
  const next = change(before);
  // Also when nothing has changed: a draft is signed once there is a key.
  const text = writeDirectory(next);
  const { file, keyFile } = kept;
  const written =
    keyFile === undefined ? `${text}\n` : signDocument("directory", text, await directoryKeyIn(keyFile));
  await replaceFile(file, written);
  return next.version;
}

export async function directoryKeyIn(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file));
  if (key.asymmetricKeyType !== "ed25519") throw new Impossible(`${file} has to be a key of Ed25519.`);
  return key;
}

/** Whole, or as it was: others may be reading it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
