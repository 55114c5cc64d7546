import { createHash } from "node:crypto";
import { privateKeyOf } from "../../../clients/typescript/src/key.ts";
import { signedText, writeSignatureHeader } from "../../../clients/typescript/src/signature.ts";
import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { findCaller } from "./known-gateway.ts";
import { pathOf } from "./raw-call.ts";
import { bytesOf, readTextFile } from "./read-file.ts";

/** Prints the signed text byte for byte, and the headers. */
export async function sign(given: Given): Promise<void> {
  const { clientId, keyVersion, privateKey } = await signerOf(given);
  const [target = ""] = given.words;
  const path = target.startsWith("/") ? target : pathOf({ clientId }, target);
  const time = given.value("time") ?? String(Date.now());
  const method = given.value("method") ?? "POST";
  const body = await bytesOf(given.value("body") ?? "{}");
  const text = Buffer.from(signedText({ method, path, clientId, time, body }));
  const signature = writeSignatureHeader(keyVersion, await privateKeyOf(privateKey).sign(text));
  const headers = {
    "Content-Type": "application/json; charset=UTF-8",
    "Client-Id": clientId,
    "Request-Time": time,
    Signature: signature,
  };
  const sha256 = createHash("sha256").update(text).digest("hex");
  if (given.has("json")) return print(JSON.stringify({ signedText: text.toString("utf8"), sha256, headers }));
  const lastByte = body.at(-1) === 0x0a ? "The body ends in a line feed, which is signed as well." : "";
  print(
    `The signed text, ${text.length} bytes, of which the last ${body.length} are the body; SHA-256 ${sha256}. ${lastByte}`.trimEnd(),
    "",
    text.toString("utf8"),
    "",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  );
}

/** Finds the signing settings: the command's options, or else the settings of the gateway in this folder. */
async function signerOf(given: Given): Promise<{
  readonly clientId: string;
  readonly keyVersion: number;
  readonly privateKey: string;
}> {
  const known = (await findCaller(given.value("folder")))?.caller;
  const file = given.value("key");
  const clientId = given.value("client-id") ?? known?.clientId;
  const privateKey = file === undefined ? known?.privateKey : await readTextFile(file);
  const keyVersion = Number(given.value("key-version") ?? known?.keyVersion ?? 1);
  if (!clientId) throw new UsageError("--client-id is missing, and no `tollgate dev` runs in this folder.");
  if (!privateKey) throw new UsageError("--key FILE is missing, and no `tollgate dev` runs in this folder.");
  if (!Number.isSafeInteger(keyVersion) || keyVersion < 1)
    throw new UsageError("--key-version is a number from 1.");
  return { clientId, keyVersion, privateKey };
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
