import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { parseStrictJson, type JsonValue } from "../core/strict-json.ts";
import { reformatJson, type Spacing } from "./reformat-json.ts";
import type { Draft, SentRequest, SignatureMistake } from "./mistake.ts";

const signTheBytes = "Write the JSON once, sign those bytes, and send the same bytes.";
const oneWriter = "Sign what your HTTP client really sends: give it the finished text, not the object.";
const asIs = "Sign the body as it is sent, without changes.";

/** Signature mistakes in the body. If two mistakes give the same text, the one that changes less is named. */
export const bodyMistakes: Readonly<Record<string, SignatureMistake>> = {
  "last line feed missing": {
    signed: "the body without the line feed at its end",
    change: "Send the file with --data-binary, or leave the line feed out of it: $(…) in a shell drops it.",
    isFrequent: true,
    drafts: ofText((text) => [text.endsWith("\n") && text.replace(/\r?\n$/, "")]),
  },
  "line feed added": {
    signed: "the body with a line feed at its end that was not sent",
    change: "Use printf '%s' and not echo, and send with --data-binary and not --data.",
    isFrequent: true,
    drafts: ofText((text) => [`${text}\n`, `${text}\r\n`]),
  },
  "CRLF became LF": {
    signed: "the body with line feeds, where carriage return and line feed were sent",
    change: "Read the file in binary mode, once.",
    drafts: ofText((text) => [text.replaceAll("\r\n", "\n")]),
  },
  "LF became CRLF": {
    signed: "the body with carriage return and line feed, where line feeds were sent",
    change: "Read the file in binary mode, once.",
    drafts: ofText((text) => [text.replaceAll(/\r?\n/g, "\r\n")]),
  },
  "byte order mark added": {
    signed: "the body after a byte order mark that was not sent",
    change: "Write UTF-8 without a byte order mark.",
    drafts: ofText((text) => [`\uFEFF${text}`]),
  },
  "byte order mark left out": {
    signed: "the body without the byte order mark that was sent",
    change: "Write UTF-8 without a byte order mark; a body that starts with one is rejected.",
    drafts: ofText((text) => [text.replace(/^\uFEFF/, "")]),
  },
  "body trimmed": {
    signed: "the body without the white space around it",
    change: asIs,
    drafts: ofText((text) => [text.trim(), text.trimEnd(), text.trimStart()]),
  },
  "keys sorted": {
    signed: "the body with its fields sorted by name",
    change: signTheBytes,
    isFrequent: true,
    drafts: ofRewritten(
      (value) => JSON.stringify(sorted(value)),
      (value) => JSON.stringify(sortedOutside(value)),
      // JSON.stringify with a list of names as the second argument sorts the fields by this list, and drops all other
      // fields.
      (value) => JSON.stringify(value, namesIn(value).toSorted()),
    ),
  },
  "body minified": {
    signed: "the body without the spaces and line feeds between its fields",
    change: oneWriter,
    isFrequent: true,
    drafts: ofSpacing({ comma: ",", colon: ":" }),
  },
  "blanks after commas": {
    signed: "the body with a space after each comma and colon, as Python's json.dumps writes it",
    change: `${oneWriter} In Python: data=text, not json=….`,
    isFrequent: true,
    drafts: ofSpacing({ comma: ", ", colon: ": " }),
  },
  "body pretty-printed": {
    signed: "the body pretty-printed",
    change: oneWriter,
    drafts: ofSpacing(...["  ", "    ", "\t"].map((indent) => ({ comma: ",", colon: ": ", indent })), {
      comma: ",",
      colon: " : ",
      indent: "  ",
    }),
  },
  "non-ASCII escaped": {
    signed: "the body with \\u escapes, where the letters themselves were sent",
    change: `${signTheBytes} In Python: ensure_ascii=False; in PHP: JSON_UNESCAPED_UNICODE.`,
    isFrequent: true,
    drafts: ofText((text) => [escaped(text, beyondAscii, false), escaped(text, beyondAscii, true)]),
  },
  "slashes escaped": {
    signed: "the body with \\/, where / was sent",
    change: `${signTheBytes} In PHP: JSON_UNESCAPED_SLASHES.`,
    isFrequent: true,
    drafts: ofText((text) => [text.replaceAll(/(?<!\\)\//g, "\\/")]),
  },
  "slashes not escaped": {
    signed: "the body with /, where \\/ was sent",
    change: signTheBytes,
    drafts: ofText((text) => [text.replaceAll("\\/", "/")]),
  },
  "escapes resolved": {
    signed: "the body with the letters themselves, where \\u escapes were sent",
    change: signTheBytes,
    isFrequent: true,
    drafts: ofText((text) => [
      unescaped(text, (code) => code >= 0x80),
      unescaped(text, (code) => code >= 0x20 && code !== 0x22 && code !== 0x5c),
    ]),
  },
  "HTML characters escaped": {
    signed: "the body with < > & escaped as \\u003c, where the characters themselves were sent",
    change: `${signTheBytes} In Go: SetEscapeHTML(false); with Gson: disableHtmlEscaping().`,
    drafts: ofText((text) => [escaped(text, /[<>&]/g, false), escaped(text, /[<>&=']/g, false)]),
  },
  "HTML entities": {
    signed: "the body with HTML entities such as &quot;",
    change: asIs,
    drafts: ofText((text) => {
      const entities = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      return [entities, entities.replaceAll('"', "&quot;"), text.replaceAll('"', "&quot;")];
    }),
  },
  "line feeds removed": {
    signed: "the body without its line feeds",
    change: "Send the file with --data-binary: curl --data drops them.",
    drafts: ofText((text) => [text.replaceAll(/[\r\n]/g, "")]),
  },
  "signed in Latin-1": {
    signed: "the body in Latin-1, where UTF-8 was sent",
    change: "Name the encoding when you turn the text into bytes: getBytes(StandardCharsets.UTF_8).",
    drafts: ofText((text) => [!/[^\0-\xff]/.test(text) && Buffer.from(text, "latin1")]),
  },
  "signed in ASCII": {
    signed: "the body in ASCII, with ? for every other letter",
    change: "Turn the text into bytes as UTF-8.",
    drafts: ofText((text) => [text.replaceAll(/[^\0-\x7f]/g, "?"), text.replaceAll(beyondAscii, "?")]),
  },
  "sent in Latin-1": {
    signed: "the body in UTF-8, where Latin-1 was sent",
    change: "Send UTF-8: the HTTP client turned the text into bytes in another way than the signer.",
    drafts: ({ body }) => (isUtf8(body) ? [] : [{ body: Buffer.from(Buffer.from(body).toString("latin1")) }]),
  },
  "UTF-8 twice": {
    signed: "the body encoded in UTF-8 twice",
    change: "Encode the text once; do not encode bytes again.",
    drafts: ({ body }) => (isUtf8(body) ? [{ body: Buffer.from(Buffer.from(body).toString("latin1")) }] : []),
  },
  "body empty": {
    signed: "no body at all",
    change: "Sign the body, too; a stream that was read for sending is empty when it is read again.",
    isFrequent: true,
    drafts: ofText(() => [""]),
  },
  "body replaced": {
    signed: "{}, null or [object Object] instead of the body",
    change: "Turn the object into text before you sign it: JSON.stringify.",
    drafts: ofText(() => ["{}", "null", "undefined", "[object Object]"]),
  },
  "body as a string of JSON": {
    signed: "the body as a string of JSON, in quotes and with escaped quotes inside",
    change: "Turn the object into text once, not twice.",
    drafts: ofText((text) => [JSON.stringify(text), JSON.stringify(JSON.stringify(text)).slice(1, -1)]),
  },
  "body as Python prints it": {
    signed: "the body as Python prints bytes, b'…', or a dict",
    change: "Decode bytes before you format them: body.decode(), and json.dumps for a dict.",
    drafts: ofText((text) => [`b'${text}'`, pythonDict(text)]),
  },
  "body in base64": {
    signed: "the body in base64",
    change: asIs,
    drafts: ofText((_, body) => [body.toString("base64"), body.toString("base64url")]),
  },
  "body URL-encoded": {
    signed: "the body URL-encoded",
    change: asIs,
    drafts: ofText((text) => {
      const encoded = encodeURIComponent(text);
      return [encoded, encoded.replaceAll("%20", "+"), encodeURI(text)];
    }),
  },
  "digest of the body": {
    signed: "a digest of the body instead of the body",
    change: "Put the body itself after the last dot; SHA256withRSA computes the digest of the whole text.",
    drafts: ofText((_, body) => {
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
    signed: "the body without the fields that are null",
    change: signTheBytes,
    drafts: ofRewritten((value) =>
      JSON.stringify(value, (_, member: unknown) => (member === null ? undefined : member)),
    ),
  },
  "body serialized again": {
    signed: "the body parsed and written again, as JSON.stringify does",
    change: signTheBytes,
    drafts: ofJson((value) => JSON.stringify(value)),
  },
};

/**
 * Maximum size of a body that the diagnosis parses. A larger body would cost too much for an unauthenticated request.
 */
const takenApartBytesMax = 8 * 1024;
const beyondAscii = /[\u0080-\uffff]/g;

function ofText(
  change: (text: string, body: Buffer) => readonly (string | Buffer | false | undefined)[],
): SignatureMistake["drafts"] {
  return ({ body }: SentRequest) => {
    if (body.length > takenApartBytesMax) return [];
    const bytes = Buffer.from(body);
    return draftsOf(bytes, change(bytes.toString("utf8"), bytes));
  };
}

function ofJson(
  ...changes: readonly ((value: JsonValue) => string | undefined)[]
): SignatureMistake["drafts"] {
  return ofText((_, body) => {
    const parsed = parseStrictJson(body);
    return "value" in parsed ? changes.map((change) => change(parsed.value)) : [];
  });
}

/**
 * Texts of JSON that was changed and written again. The list is empty if the JSON is unchanged; otherwise a change of
 * white space would have the name of this mistake.
 */
function ofRewritten(...changes: readonly ((value: JsonValue) => string)[]): SignatureMistake["drafts"] {
  return ofJson(
    ...changes.map((change) => (value: JsonValue) => {
      const rewritten = change(value);
      return rewritten === JSON.stringify(value) ? undefined : rewritten;
    }),
  );
}

function ofSpacing(...spacings: readonly Spacing[]): SignatureMistake["drafts"] {
  return ofText((_, body) => spacings.map((spacing) => reformatJson(body, spacing)));
}

/** Drafts that differ from the sent text. A draft is a text that may have been signed. */
function draftsOf(
  sent: Buffer,
  bodies: readonly (string | Buffer | false | undefined)[],
): readonly Partial<Draft>[] {
  return bodies.flatMap((body) => {
    if (body === undefined || body === false) return [];
    const bytes = Buffer.from(body);
    return bytes.equals(sent) ? [] : [{ body: bytes }];
  });
}

function escaped(text: string, what: RegExp, isUpper: boolean): string {
  return text.replaceAll(what, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${isUpper ? code.toUpperCase() : code}`;
  });
}

function unescaped(text: string, isMeant: (code: number) => boolean): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|.)/g, (all, code: string | undefined) =>
    code !== undefined && isMeant(parseInt(code, 16)) ? String.fromCharCode(parseInt(code, 16)) : all,
  );
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(sorted);
  return sortedOutside(
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sorted(member)])),
  );
}

/** The fields of the outermost object sorted by name; inner objects stay as they are. */
function sortedOutside(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || isList(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function namesIn(value: JsonValue): string[] {
  return typeof value === "object" && value !== null && !isList(value) ? Object.keys(value) : [];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Python's `str(dict)` of a JSON text; only for texts without quotes. */
function pythonDict(text: string): string | undefined {
  if (text.includes("'") || text.includes("\\")) return undefined;
  const spaced = reformatJson(Buffer.from(text), { comma: ", ", colon: ": " })?.toString("utf8");
  return spaced
    ?.replaceAll('"', "'")
    .replaceAll(/(?<=[ [])true(?=[,}\]])/g, "True")
    .replaceAll(/(?<=[ [])false(?=[,}\]])/g, "False")
    .replaceAll(/(?<=[ [])null(?=[,}\]])/g, "None");
}
