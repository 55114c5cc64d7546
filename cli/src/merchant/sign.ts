import { createHash } from "node:crypto";
import { privateKeyOf } from "../../../clients/typescript/src/key.ts";
import { signedText, writeSignatureHeader } from "../../../clients/typescript/src/signature.ts";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { findCaller } from "./configured-gateway.ts";
import { operationPath } from "./signed-request.ts";
import { readTextOrFile, readTextFile } from "./read-file.ts";

/** Prints the signed text byte for byte, and the headers. */
export async function sign(args: CommandArguments): Promise<void> {
  const { clientId, keyVersion, privateKey } = await readSigner(args);
  const [target = ""] = args.positionals;
  const path = target.startsWith("/") ? target : operationPath({ clientId }, target);
  const time = args.value("time") ?? String(Date.now());
  const method = args.value("method") ?? "POST";
  const body = await readTextOrFile(args.value("body") ?? "{}");
  const text = Buffer.from(signedText({ method, path, clientId, time, body }));
  const signature = writeSignatureHeader(keyVersion, await privateKeyOf(privateKey).sign(text));
  const headers = {
    "Content-Type": "application/json; charset=UTF-8",
    "Client-Id": clientId,
    "Request-Time": time,
    Signature: signature,
  };
  const sha256 = createHash("sha256").update(text).digest("hex");
  if (args.has("json")) return print(JSON.stringify({ signedText: text.toString("utf8"), sha256, headers }));
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
async function readSigner(args: CommandArguments): Promise<{
  readonly clientId: string;
  readonly keyVersion: number;
  readonly privateKey: string;
}> {
  const configured = (await findCaller(args.value("folder")))?.caller;
  const file = args.value("key");
  const clientId = args.value("client-id") ?? configured?.clientId;
  const privateKey = file === undefined ? configured?.privateKey : await readTextFile(file);
  const keyVersion = Number(args.value("key-version") ?? configured?.keyVersion ?? 1);
  if (!clientId) throw new UsageError("--client-id is missing, and no `tollgate dev` runs in this folder.");
  if (!privateKey) throw new UsageError("--key FILE is missing, and no `tollgate dev` runs in this folder.");
  if (!Number.isSafeInteger(keyVersion) || keyVersion < 1)
    throw new UsageError("--key-version is a number from 1.");
  return { clientId, keyVersion, privateKey };
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
