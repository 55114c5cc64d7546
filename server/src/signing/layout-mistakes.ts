import { hash } from "node:crypto";
import { signedText } from "./signed-text.ts";
import { form, otherHeads, type Draft, type SignatureMistake } from "./mistake.ts";

/** Signature mistakes in the order and separators of the parts, and in the treatment of the whole text. */
export const layoutMistakes: Readonly<Record<string, SignatureMistake>> = {
  "backslash and n": {
    signed: "a backslash and an n after the path, where a line feed belongs",
    change: "In a shell use printf 'POST %s\\n…' or $'\\n': a string in double quotes keeps \\n as it is.",
    isFrequent: true,
    drafts: () =>
      otherHeads(({ method, path, clientId, time }) => `${method} ${path}\\n${clientId}.${time}.`),
  },
  "CRLF after the path": {
    signed: "a carriage return and a line feed after the path",
    change: "Put a line feed alone (0x0a) after the path.",
    isFrequent: true,
    drafts: () =>
      otherHeads(({ method, path, clientId, time }) => `${method} ${path}\r\n${clientId}.${time}.`),
  },
  "no line feed after the path": {
    signed: "no line feed after the path, or a space or a dot instead",
    change: form,
    drafts: () =>
      ["", " ", "."].flatMap((mark) =>
        otherHeads(({ method, path, clientId, time }) => `${method} ${path}${mark}${clientId}.${time}.`),
      ),
  },
  "empty line after the path": {
    signed: "two line feeds after the path",
    change: form,
    drafts: () =>
      otherHeads(({ method, path, clientId, time }) => `${method} ${path}\n\n${clientId}.${time}.`),
  },
  "method not apart": {
    signed: "no space between POST and the path, or a line feed instead",
    change: form,
    drafts: () =>
      otherHeads(
        ({ method, path, clientId, time }) => `${method}${path}\n${clientId}.${time}.`,
        ({ method, path, clientId, time }) => `${method}\n${path}\n${clientId}.${time}.`,
      ),
  },
  "HTTP version": {
    signed: "the whole request line with HTTP/1.1",
    change: form,
    drafts: () =>
      otherHeads(({ method, path, clientId, time }) => `${method} ${path} HTTP/1.1\n${clientId}.${time}.`),
  },
  "dots missing": {
    signed: "client id, time and body without the dots between them",
    change: form,
    drafts: () => otherHeads(({ method, path, clientId, time }) => `${method} ${path}\n${clientId}${time}`),
  },
  "last dot missing": {
    signed: "no dot between the time and the body",
    change: form,
    drafts: () => otherHeads(({ method, path, clientId, time }) => `${method} ${path}\n${clientId}.${time}`),
  },
  "other marks for dots": {
    signed: "client id, time and body with other marks than dots between them",
    change: form,
    drafts: () =>
      ["\n", " ", ",", ":", "|", "&", ";", "\r\n", ". "].flatMap((mark) =>
        otherHeads(
          ({ method, path, clientId, time }) => `${method} ${path}\n${clientId}${mark}${time}${mark}`,
          ({ method, path, clientId, time }) => `${method} ${path}\n${clientId}.${time}${mark}`,
        ),
      ),
  },
  "other order": {
    signed: "the parts in another order: the time before the client id",
    change: form,
    drafts: () => otherHeads(({ method, path, clientId, time }) => `${method} ${path}\n${time}.${clientId}.`),
  },
  "headers by name": {
    signed: "the headers with their names",
    change: form,
    drafts: () =>
      ["", "\n"].flatMap((end) =>
        otherHeads(
          ({ method, path, clientId, time }) =>
            `${method} ${path}\nclient-id: ${clientId}\nrequest-time: ${time}\n${end}`,
          ({ method, path, clientId, time }) =>
            `${method} ${path}\nclient-id:${clientId}\nrequest-time:${time}\n${end}`,
        ),
      ),
  },
  "first line missing": {
    signed: "client id, time and body without the line of method and path before them",
    change: form,
    drafts: () => otherHeads(({ clientId, time }) => `${clientId}.${time}.`),
  },
  "only the body": {
    signed: "only the body",
    change: form,
    drafts: () => otherHeads(() => ""),
  },
  "nothing signed": {
    signed: "an empty text",
    change: "Look at how the text reaches the signer: a pipe or a variable was empty.",
    drafts: () => [{ write: () => Buffer.alloc(0) }],
  },
  "hashed twice": {
    signed: "the SHA-256 digest of the text, which was then hashed again",
    change: "Give the text itself to SHA256withRSA: it computes the digest.",
    drafts: () =>
      ofWhole(
        (text) => hash("sha256", text, "buffer"),
        digestIn("hex"),
        digestIn("base64"),
        (text) => hash("sha256", text, "hex").toUpperCase(),
      ),
  },
  "text in base64": {
    signed: "the text in base64 or in hexadecimal digits",
    change: "Sign the text itself; only the signature is written in base64.",
    drafts: () =>
      ofWhole(
        (text) => text.toString("base64"),
        (text) => text.toString("hex"),
      ),
  },
  "text URL-encoded": {
    signed: "the text URL-encoded",
    change: "Sign the text itself; only the signature is URL-encoded.",
    drafts: () => ofWhole((text) => encodeURIComponent(text.toString("utf8"))),
  },
  "text in UTF-16": {
    signed: "the text in UTF-16",
    change: "Turn the text into bytes as UTF-8: Encoding.UTF8 in .NET, StandardCharsets.UTF_8 in Java.",
    drafts: () =>
      ofWhole(
        (text) => Buffer.from(text.toString("utf8"), "utf16le"),
        (text) => Buffer.from(text.toString("utf8"), "utf16le").swap16(),
        (text) => Buffer.from(`\uFEFF${text.toString("utf8")}`, "utf16le").swap16(),
      ),
  },
};

function ofWhole(...changes: ((text: Buffer) => string | Buffer)[]): readonly Partial<Draft>[] {
  return changes.map((change) => ({ write: (parts) => Buffer.from(change(signedText(parts))) }));
}

function digestIn(encoding: "hex" | "base64"): (text: Buffer) => string {
  return (text) => hash("sha256", text, encoding);
}
