import { hash } from "node:crypto";
import { signedText } from "./signed-text.ts";
import {
  compositionAdvice,
  variantsWithTextBeforeBody,
  type SignedTextVariant,
  type SignatureMistake,
} from "./signature-mistake.ts";

/** Signature mistakes in the order and separators of the parts, and in the treatment of the whole text. */
export const layoutMistakes: Readonly<Record<string, SignatureMistake>> = {
  "backslash and n": {
    description: "a backslash and an n after the path, where a line feed belongs",
    advice: "In a shell use printf 'POST %s\\n…' or $'\\n': a string in double quotes keeps \\n as it is.",
    isFrequent: true,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path}\\n${clientId}.${time}.`,
      ),
  },
  "CRLF after the path": {
    description: "a carriage return and a line feed after the path",
    advice: "Put a line feed alone (0x0a) after the path.",
    isFrequent: true,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path}\r\n${clientId}.${time}.`,
      ),
  },
  "no line feed after the path": {
    description: "no line feed after the path, or a space or a dot instead",
    advice: compositionAdvice,
    variants: () =>
      ["", " ", "."].flatMap((mark) =>
        variantsWithTextBeforeBody(
          ({ method, path, clientId, time }) => `${method} ${path}${mark}${clientId}.${time}.`,
        ),
      ),
  },
  "empty line after the path": {
    description: "two line feeds after the path",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path}\n\n${clientId}.${time}.`,
      ),
  },
  "method not apart": {
    description: "no space between POST and the path, or a line feed instead",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method}${path}\n${clientId}.${time}.`,
        ({ method, path, clientId, time }) => `${method}\n${path}\n${clientId}.${time}.`,
      ),
  },
  "HTTP version": {
    description: "the whole request line with HTTP/1.1",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path} HTTP/1.1\n${clientId}.${time}.`,
      ),
  },
  "dots missing": {
    description: "client id, time and body without the dots between them",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path}\n${clientId}${time}`,
      ),
  },
  "last dot missing": {
    description: "no dot between the time and the body",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path}\n${clientId}.${time}`,
      ),
  },
  "other marks for dots": {
    description: "client id, time and body with other marks than dots between them",
    advice: compositionAdvice,
    variants: () =>
      ["\n", " ", ",", ":", "|", "&", ";", "\r\n", ". "].flatMap((mark) =>
        variantsWithTextBeforeBody(
          ({ method, path, clientId, time }) => `${method} ${path}\n${clientId}${mark}${time}${mark}`,
          ({ method, path, clientId, time }) => `${method} ${path}\n${clientId}.${time}${mark}`,
        ),
      ),
  },
  "other order": {
    description: "the parts in another order: the time before the client id",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId, time }) => `${method} ${path}\n${time}.${clientId}.`,
      ),
  },
  "headers by name": {
    description: "the headers with their names",
    advice: compositionAdvice,
    variants: () =>
      ["", "\n"].flatMap((end) =>
        variantsWithTextBeforeBody(
          ({ method, path, clientId, time }) =>
            `${method} ${path}\nclient-id: ${clientId}\nrequest-time: ${time}\n${end}`,
          ({ method, path, clientId, time }) =>
            `${method} ${path}\nclient-id:${clientId}\nrequest-time:${time}\n${end}`,
        ),
      ),
  },
  "first line missing": {
    description: "client id, time and body without the line of method and path before them",
    advice: compositionAdvice,
    variants: () => variantsWithTextBeforeBody(({ clientId, time }) => `${clientId}.${time}.`),
  },
  "only the body": {
    description: "only the body",
    advice: compositionAdvice,
    variants: () => variantsWithTextBeforeBody(() => ""),
  },
  "nothing signed": {
    description: "an empty text",
    advice: "Look at how the text reaches the signer: a pipe or a variable was empty.",
    variants: () => [{ compose: () => Buffer.alloc(0) }],
  },
  "hashed twice": {
    description: "the SHA-256 digest of the text, which was then hashed again",
    advice: "Give the text itself to SHA256withRSA: it computes the digest.",
    variants: () =>
      variantsOfWholeText(
        (text) => hash("sha256", text, "buffer"),
        digestIn("hex"),
        digestIn("base64"),
        (text) => hash("sha256", text, "hex").toUpperCase(),
      ),
  },
  "text in base64": {
    description: "the text in base64 or in hexadecimal digits",
    advice: "Sign the text itself; only the signature is written in base64.",
    variants: () =>
      variantsOfWholeText(
        (text) => text.toString("base64"),
        (text) => text.toString("hex"),
      ),
  },
  "text URL-encoded": {
    description: "the text URL-encoded",
    advice: "Sign the text itself; only the signature is URL-encoded.",
    variants: () => variantsOfWholeText((text) => encodeURIComponent(text.toString("utf8"))),
  },
  "text in UTF-16": {
    description: "the text in UTF-16",
    advice: "Turn the text into bytes as UTF-8: Encoding.UTF8 in .NET, StandardCharsets.UTF_8 in Java.",
    variants: () =>
      variantsOfWholeText(
        (text) => Buffer.from(text.toString("utf8"), "utf16le"),
        (text) => Buffer.from(text.toString("utf8"), "utf16le").swap16(),
        (text) => Buffer.from(`\uFEFF${text.toString("utf8")}`, "utf16le").swap16(),
      ),
  },
};

function variantsOfWholeText(
  ...changes: ((text: Buffer) => string | Buffer)[]
): readonly Partial<SignedTextVariant>[] {
  return changes.map((change) => ({ compose: (parts) => Buffer.from(change(signedText(parts))) }));
}

function digestIn(encoding: "hex" | "base64"): (text: Buffer) => string {
  return (text) => hash("sha256", text, encoding);
}
