import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findBinFolder } from "../../server/src/postgres/temporary-postgres.ts";

/** `listEncodings` returns a secret as plain text and in the encodings of a bytea column, a URL and a token. */
export function listEncodings(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const encoded = [
    bytes.toString("hex"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
  return [...new Set([text, encodeURIComponent(text), ...encoded])];
}

export async function dumpDatabase(address: string): Promise<string> {
  const program = `${await findBinFolder()}/pg_dump`;
  const { stdout } = await promisify(execFile)(program, ["--inserts", address], {
    maxBuffer: 64 * 1024 ** 2,
  });
  return stdout;
}
