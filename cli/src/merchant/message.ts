import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { bytesOf, readBytes } from "./read-file.ts";

/** A request, an answer or a notification as somebody has kept it. */
export interface KeptMessage {
  readonly method: string;
  /** With its query, as it was called. */
  readonly path: string;
  readonly body: Buffer;
  /** All values of a header. */
  readonly header: (name: string) => readonly string[];
}

/**
 * Reads `--headers FILE`: lines such as `Signature: …`, as `curl -D` writes them or a log shows them. A first line `POST /notify
 * HTTP/1.1` names the path, and whatever follows a blank line is the body; `--path` and `--body` say it otherwise.
 */
export async function readMessage(given: Given): Promise<KeptMessage> {
  const file = given.value("headers");
  if (file === undefined) throw new UsageError("--headers FILE is missing: the headers, one on each line.");
  const bytes = await readBytes(file);
  const { head, rest } = split(bytes);
  const [first = "", ...lines] = head.split(/\r?\n/);
  const requestLine = /^([A-Z]+) (\/\S*)/.exec(first);
  const headers = (requestLine || first.startsWith("HTTP/") ? lines : [first, ...lines]).flatMap(headerIn);
  const path = given.value("path") ?? requestLine?.[2];
  if (path === undefined) {
    throw new UsageError(
      "--path is missing: the path that was called, such as /notify; an answer is signed for that of its request.",
    );
  }
  const body = given.value("body");
  return {
    method: given.value("method") ?? requestLine?.[1] ?? "POST",
    path,
    body: body === undefined ? rest : await bytesOf(body),
    header: (name) => headers.filter(([each]) => each === name).map(([, value]) => value),
  };
}

/** At the first blank line. */
function split(bytes: Buffer): { readonly head: string; readonly rest: Buffer } {
  const ends = ["\r\n\r\n", "\n\n"].flatMap((blank) => {
    const at = bytes.indexOf(blank);
    return at < 0 ? [] : [{ at, length: blank.length }];
  });
  const [end] = ends.toSorted((a, b) => a.at - b.at);
  if (!end) return { head: bytes.toString("utf8").trimEnd(), rest: Buffer.alloc(0) };
  return { head: bytes.subarray(0, end.at).toString("utf8"), rest: bytes.subarray(end.at + end.length) };
}

/** A header line, also as curl and browsers show it, with `> ` or `< ` in front. */
function headerIn(line: string): (readonly [string, string])[] {
  const [, name, value] = /^(?:[<>] )?([A-Za-z0-9-]+):\s*(.*?)\s*$/.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
}
