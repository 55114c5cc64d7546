import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { readTextOrFile, readBytes } from "./read-file.ts";

/** A stored request, response or webhook. */
export interface RecordedMessage {
  readonly method: string;
  /** The path with its query, as it was sent. */
  readonly path: string;
  readonly body: Buffer;
  /** All values of a header. */
  readonly header: (name: string) => readonly string[];
}

/**
 * Reads `--headers FILE`: lines such as `Signature: …`, as `curl -D` writes them or a log shows them. A first line
 * `POST /notify HTTP/1.1` contains the path, and the body follows a blank line; `--path` and `--body` override both.
 */
export async function readMessage(args: CommandArguments): Promise<RecordedMessage> {
  const file = args.value("headers");
  if (file === undefined) throw new UsageError("--headers FILE is missing: the headers, one on each line.");
  const bytes = await readBytes(file);
  const { head, rest } = splitMessage(bytes);
  const [firstLine = "", ...lines] = head.split(/\r?\n/);
  const requestLine = /^([A-Z]+) (\/\S*)/.exec(firstLine);
  const headers = (requestLine || firstLine.startsWith("HTTP/") ? lines : [firstLine, ...lines]).flatMap(
    parseHeader,
  );
  const path = args.value("path") ?? requestLine?.[2];
  if (path === undefined) {
    throw new UsageError(
      "--path is missing: the requested path, such as /notify. A response is signed for the path of its request.",
    );
  }
  const body = args.value("body");
  return {
    method: args.value("method") ?? requestLine?.[1] ?? "POST",
    path,
    body: body === undefined ? rest : await readTextOrFile(body),
    header: (name) => headers.filter(([each]) => each === name).map(([, value]) => value),
  };
}

/** Splits at the first blank line. */
function splitMessage(bytes: Buffer): { readonly head: string; readonly rest: Buffer } {
  const separators = ["\r\n\r\n", "\n\n"].flatMap((blank) => {
    const at = bytes.indexOf(blank);
    return at < 0 ? [] : [{ at, length: blank.length }];
  });
  const [separator] = separators.toSorted((a, b) => a.at - b.at);
  if (!separator) return { head: bytes.toString("utf8").trimEnd(), rest: Buffer.alloc(0) };
  return {
    head: bytes.subarray(0, separator.at).toString("utf8"),
    rest: bytes.subarray(separator.at + separator.length),
  };
}

/** A header line, also with `> ` or `< ` in front, as curl and browsers print it. */
function parseHeader(line: string): (readonly [string, string])[] {
  const [, name, value] = /^(?:[<>] )?([A-Za-z0-9-]+):\s*(.*?)\s*$/.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
}
