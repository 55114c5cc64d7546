import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { parseStrictJson, type JsonValue } from "../core/strict-json.ts";
import { reformatJson, type Spacing } from "./reformat-json.ts";
import type { SignedTextVariant, SentRequest, SignatureMistake } from "./signature-mistake.ts";

const signSentBytesAdvice = "Write the JSON once, sign those bytes, and send the same bytes.";
const signSentTextAdvice =
  "Sign what your HTTP client really sends: give it the finished text, not the object.";
const signUnchangedAdvice = "Sign the body as it is sent, without changes.";

/** Signature mistakes in the body. If two mistakes give the same text, the one that changes less is named. */
export const bodyMistakes: Readonly<Record<string, SignatureMistake>> = {
  "last line feed missing": {
    description: "the body without the line feed at its end",
    advice: "Send the file with --data-binary, or leave the line feed out of it: $(…) in a shell drops it.",
    isFrequent: true,
    variants: variantsOfText((text) => [text.endsWith("\n") && text.replace(/\r?\n$/, "")]),
  },
  "line feed added": {
    description: "the body with a line feed at its end that was not sent",
    advice: "Use printf '%s' and not echo, and send with --data-binary and not --data.",
    isFrequent: true,
    variants: variantsOfText((text) => [`${text}\n`, `${text}\r\n`]),
  },
  "CRLF became LF": {
    description: "the body with line feeds, where carriage return and line feed were sent",
    advice: "Read the file in binary mode, once.",
    variants: variantsOfText((text) => [text.replaceAll("\r\n", "\n")]),
  },
  "LF became CRLF": {
    description: "the body with carriage return and line feed, where line feeds were sent",
    advice: "Read the file in binary mode, once.",
    variants: variantsOfText((text) => [text.replaceAll(/\r?\n/g, "\r\n")]),
  },
  "byte order mark added": {
    description: "the body after a byte order mark that was not sent",
    advice: "Write UTF-8 without a byte order mark.",
    variants: variantsOfText((text) => [`\uFEFF${text}`]),
  },
  "byte order mark left out": {
    description: "the body without the byte order mark that was sent",
    advice: "Write UTF-8 without a byte order mark; a body that starts with one is rejected.",
    variants: variantsOfText((text) => [text.replace(/^\uFEFF/, "")]),
  },
  "body trimmed": {
    description: "the body without the white space around it",
    advice: signUnchangedAdvice,
    variants: variantsOfText((text) => [text.trim(), text.trimEnd(), text.trimStart()]),
  },
  "keys sorted": {
    description: "the body with its fields sorted by name",
    advice: signSentBytesAdvice,
    isFrequent: true,
    variants: variantsOfRewrittenJson(
      (value) => JSON.stringify(sortKeys(value)),
      (value) => JSON.stringify(sortTopLevelKeys(value)),
      // JSON.stringify with a list of names as the second argument sorts the fields by this list, and drops all other
      // fields.
      (value) => JSON.stringify(value, topLevelKeys(value).toSorted()),
    ),
  },
  "body minified": {
    description: "the body without the spaces and line feeds between its fields",
    advice: signSentTextAdvice,
    isFrequent: true,
    variants: variantsOfSpacing({ comma: ",", colon: ":" }),
  },
  "blanks after commas": {
    description: "the body with a space after each comma and colon, as Python's json.dumps writes it",
    advice: `${signSentTextAdvice} In Python: data=text, not json=….`,
    isFrequent: true,
    variants: variantsOfSpacing({ comma: ", ", colon: ": " }),
  },
  "body pretty-printed": {
    description: "the body pretty-printed",
    advice: signSentTextAdvice,
    variants: variantsOfSpacing(
      ...["  ", "    ", "\t"].map((indent) => ({ comma: ",", colon: ": ", indent })),
      {
        comma: ",",
        colon: " : ",
        indent: "  ",
      },
    ),
  },
  "non-ASCII escaped": {
    description: "the body with \\u escapes, where the letters themselves were sent",
    advice: `${signSentBytesAdvice} In Python: ensure_ascii=False; in PHP: JSON_UNESCAPED_UNICODE.`,
    isFrequent: true,
    variants: variantsOfText((text) => [
      escapeCharacters(text, nonAscii, false),
      escapeCharacters(text, nonAscii, true),
    ]),
  },
  "slashes escaped": {
    description: "the body with \\/, where / was sent",
    advice: `${signSentBytesAdvice} In PHP: JSON_UNESCAPED_SLASHES.`,
    isFrequent: true,
    variants: variantsOfText((text) => [text.replaceAll(/(?<!\\)\//g, "\\/")]),
  },
  "slashes not escaped": {
    description: "the body with /, where \\/ was sent",
    advice: signSentBytesAdvice,
    variants: variantsOfText((text) => [text.replaceAll("\\/", "/")]),
  },
  "escapes resolved": {
    description: "the body with the letters themselves, where \\u escapes were sent",
    advice: signSentBytesAdvice,
    isFrequent: true,
    variants: variantsOfText((text) => [
      resolveEscapes(text, (code) => code >= 0x80),
      resolveEscapes(text, (code) => code >= 0x20 && code !== 0x22 && code !== 0x5c),
    ]),
  },
  "HTML characters escaped": {
    description: "the body with < > & escaped as \\u003c, where the characters themselves were sent",
    advice: `${signSentBytesAdvice} In Go: SetEscapeHTML(false); with Gson: disableHtmlEscaping().`,
    variants: variantsOfText((text) => [
      escapeCharacters(text, /[<>&]/g, false),
      escapeCharacters(text, /[<>&=']/g, false),
    ]),
  },
  "HTML entities": {
    description: "the body with HTML entities such as &quot;",
    advice: signUnchangedAdvice,
    variants: variantsOfText((text) => {
      const entities = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return [entities, entities.replaceAll('"', "&quot;"), text.replaceAll('"', "&quot;")];
    }),
  },
  "line feeds removed": {
    description: "the body without its line feeds",
    advice: "Send the file with --data-binary: curl --data drops them.",
    variants: variantsOfText((text) => [text.replaceAll(/[\r\n]/g, "")]),
  },
  "signed in Latin-1": {
    description: "the body in Latin-1, where UTF-8 was sent",
    advice: "Name the encoding when you turn the text into bytes: getBytes(StandardCharsets.UTF_8).",
    variants: variantsOfText((text) => [!/[^\0-\xff]/.test(text) && Buffer.from(text, "latin1")]),
  },
  "signed in ASCII": {
    description: "the body in ASCII, with ? for every other letter",
    advice: "Turn the text into bytes as UTF-8.",
    variants: variantsOfText((text) => [text.replaceAll(/[^\0-\x7f]/g, "?"), text.replaceAll(nonAscii, "?")]),
  },
  "sent in Latin-1": {
    description: "the body in UTF-8, where Latin-1 was sent",
    advice: "Send UTF-8: the HTTP client turned the text into bytes in another way than the signer.",
    variants: ({ body }) =>
      isUtf8(body) ? [] : [{ body: Buffer.from(Buffer.from(body).toString("latin1")) }],
  },
  "UTF-8 twice": {
    description: "the body encoded in UTF-8 twice",
    advice: "Encode the text once; do not encode bytes again.",
    variants: ({ body }) =>
      isUtf8(body) ? [{ body: Buffer.from(Buffer.from(body).toString("latin1")) }] : [],
  },
  "body empty": {
    description: "no body at all",
    advice: "Sign the body, too; a stream that was read for sending is empty when it is read again.",
    isFrequent: true,
    variants: variantsOfText(() => [""]),
  },
  "body replaced": {
    description: "{}, null or [object Object] instead of the body",
    advice: "Turn the object into text before you sign it: JSON.stringify.",
    variants: variantsOfText(() => ["{}", "null", "undefined", "[object Object]"]),
  },
  "body as a string of JSON": {
    description: "the body as a string of JSON, in quotes and with escaped quotes inside",
    advice: "Turn the object into text once, not twice.",
    variants: variantsOfText((text) => [
      JSON.stringify(text),
      JSON.stringify(JSON.stringify(text)).slice(1, -1),
    ]),
  },
  "body as Python prints it": {
    description: "the body as Python prints bytes, b'…', or a dict",
    advice: "Decode bytes before you format them: body.decode(), and json.dumps for a dict.",
    variants: variantsOfText((text) => [`b'${text}'`, formatPythonDict(text)]),
  },
  "body in base64": {
    description: "the body in base64",
    advice: signUnchangedAdvice,
    variants: variantsOfText((_, body) => [body.toString("base64"), body.toString("base64url")]),
  },
  "body URL-encoded": {
    description: "the body URL-encoded",
    advice: signUnchangedAdvice,
    variants: variantsOfText((text) => {
      const encoded = encodeURIComponent(text);
      return [encoded, encoded.replaceAll("%20", "+"), encodeURI(text)];
    }),
  },
  "digest of the body": {
    description: "a digest of the body instead of the body",
    advice: "Put the body itself after the last dot; SHA256withRSA computes the digest of the whole text.",
    variants: variantsOfText((_, body) => {
      const digest = hash("sha256", body, "buffer");
      return [
        digest.toString("hex"),
        digest.toString("hex").toUpperCase(),
        digest.toString("base64"),
        digest,
      ];
    }),
  },
  "nulls left out": {
    description: "the body without the fields that are null",
    advice: signSentBytesAdvice,
    variants: variantsOfRewrittenJson((value) =>
      JSON.stringify(value, (_, member: unknown) => (member === null ? undefined : member)),
    ),
  },
  "body serialized again": {
    description: "the body parsed and written again, as JSON.stringify does",
    advice: signSentBytesAdvice,
    variants: variantsOfJson((value) => JSON.stringify(value)),
  },
};

/**
 * Maximum size of a body that the diagnosis parses. A larger body would cost too much for an unauthenticated request.
 */
const parsedBytesMax = 8 * 1024;
const nonAscii = /[\u0080-\uffff]/g;

function variantsOfText(
  change: (text: string, body: Buffer) => readonly (string | Buffer | false | undefined)[],
): SignatureMistake["variants"] {
  return ({ body }: SentRequest) => {
    if (body.length > parsedBytesMax) return [];
    const bytes = Buffer.from(body);
    return differingVariants(bytes, change(bytes.toString("utf8"), bytes));
  };
}

function variantsOfJson(
  ...changes: readonly ((value: JsonValue) => string | undefined)[]
): SignatureMistake["variants"] {
  return variantsOfText((_, body) => {
    const parsed = parseStrictJson(body);
    return "value" in parsed ? changes.map((change) => change(parsed.value)) : [];
  });
}

/**
 * Texts of JSON that was changed and written again. The list is empty if the JSON is unchanged; otherwise a change of
 * white space would have the name of this mistake.
 */
function variantsOfRewrittenJson(
  ...changes: readonly ((value: JsonValue) => string)[]
): SignatureMistake["variants"] {
  return variantsOfJson(
    ...changes.map((change) => (value: JsonValue) => {
      const rewritten = change(value);
      return rewritten === JSON.stringify(value) ? undefined : rewritten;
    }),
  );
}

function variantsOfSpacing(...spacings: readonly Spacing[]): SignatureMistake["variants"] {
  return variantsOfText((_, body) => spacings.map((spacing) => reformatJson(body, spacing)));
}

/** Variants that differ from the sent text. A variant is a text that may have been signed. */
function differingVariants(
  sent: Buffer,
  bodies: readonly (string | Buffer | false | undefined)[],
): readonly Partial<SignedTextVariant>[] {
  return bodies.flatMap((body) => {
    if (body === undefined || body === false) return [];
    const bytes = Buffer.from(body);
    return bytes.equals(sent) ? [] : [{ body: bytes }];
  });
}

function escapeCharacters(text: string, pattern: RegExp, isUpperCase: boolean): string {
  return text.replaceAll(pattern, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpperCase ? code.toUpperCase() : code}`;
  });
}

function resolveEscapes(text: string, isResolved: (code: number) => boolean): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|.)/g, (all, code: string | undefined) =>
    code !== undefined && isResolved(parseInt(code, 16)) ? String.fromCharCode(parseInt(code, 16)) : all,
  );
}

function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(sortKeys);
  return sortTopLevelKeys(
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sortKeys(member)])),
  );
}

/** The fields of the outermost object sorted by name; inner objects stay as they are. */
function sortTopLevelKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || isList(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function topLevelKeys(value: JsonValue): string[] {
  return typeof value === "object" && value !== null && !isList(value) ? Object.keys(value) : [];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Python's `str(dict)` of a JSON text; only for texts without quotes. */
function formatPythonDict(text: string): string | undefined {
  if (text.includes("'") || text.includes("\\")) return undefined;
  const spaced = reformatJson(Buffer.from(text), { comma: ", ", colon: ": " })?.toString("utf8");
  return spaced
    ?.replaceAll('"', "'")
    .replaceAll(/(?<=[ [])true(?=[,}\]])/g, "True")
    .replaceAll(/(?<=[ [])false(?=[,}\]])/g, "False")
    .replaceAll(/(?<=[ [])null(?=[,}\]])/g, "None");
}
