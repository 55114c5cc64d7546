import { parseRequestTime } from "../core/request-time.ts";
import type { SignedParts } from "./signed-text.ts";
import {
  compositionAdvice,
  variantsWithTextBeforeBody,
  variantsWithValues,
  type SignedTextVariant,
  type SignatureMistake,
} from "./signature-mistake.ts";

const pathAdvice = "Sign the path and query of the request line, exactly as sent, without scheme and host.";
const clientIdAdvice = "Sign the text of the header client-id, letter by letter.";
const timeAdvice = "Take the time once, and use the same text for the header and for the signed text.";

const pathMistakes: Readonly<Record<string, SignatureMistake>> = {
  "live path": {
    description: "the path of live, /ams/api/…, and sent to the sandbox's, /ams/sandbox/api/…",
    advice: pathAdvice,
    isFrequent: true,
    variants: (sent) => variantsWithValues(sent, "path", [sent.path.replace("/ams/sandbox/", "/ams/")]),
  },
  "sandbox path": {
    description: "the path of the sandbox, /ams/sandbox/api/…, and sent to /ams/api/…",
    advice: pathAdvice,
    variants: (sent) =>
      variantsWithValues(sent, "path", [sent.path.replace(/^\/ams\/(?!sandbox\/)/, "/ams/sandbox/")]),
  },
  "full URL": {
    description: "the whole address instead of the path",
    advice: pathAdvice,
    isFrequent: true,
    variants: (sent) =>
      variantsWithValues(
        sent,
        "path",
        ["https://", "http://", ""].map((scheme) => `${scheme}${sent.host}${sent.path}`),
      ),
  },
  "no leading slash": {
    description: "the path without the slash before it",
    advice: pathAdvice,
    isFrequent: true,
    variants: (sent) => variantsWithValues(sent, "path", [sent.path.replace(/^\//, "")]),
  },
  "no query": {
    description: "the path without its query",
    advice: pathAdvice,
    isFrequent: true,
    variants: (sent) => variantsWithValues(sent, "path", [sent.path.replace(/\?.*$/s, "")]),
  },
  "question mark added": {
    description: "the path with a question mark that was not sent",
    advice: pathAdvice,
    variants: (sent) => variantsWithValues(sent, "path", [`${sent.path}?`]),
  },
  "slash at the end": {
    description: "the path with a slash at its end that was not sent",
    advice: pathAdvice,
    variants: (sent) => variantsWithValues(sent, "path", [sent.path.replace(/\/*(\?.*)?$/s, "/$1")]),
  },
  "path lower-case": {
    description: "the path in lower case",
    advice: pathAdvice,
    variants: (sent) => variantsWithValues(sent, "path", [sent.path.toLowerCase()]),
  },
  "path without /ams": {
    description: "the path without /ams before it",
    advice: pathAdvice,
    variants: (sent) => variantsWithValues(sent, "path", [sent.path.replace(/^\/ams/, "")]),
  },
  "end of the path": {
    description: "only the end of the path, the operation's name",
    advice: pathAdvice,
    variants: (sent) => {
      const [, end = ""] = /\/v1\/([^?]+)/.exec(sent.path) ?? [];
      return end ? variantsWithValues(sent, "path", [`/v1/${end}`, `v1/${end}`, `/${end}`, end]) : [];
    },
  },
  "path URL-encoded": {
    description: "the path URL-encoded",
    advice: pathAdvice,
    variants: (sent) => variantsWithValues(sent, "path", [encodeURIComponent(sent.path)]),
  },
  "doubled slash": {
    description: "the path with one slash before its version and sent two, or the other way round",
    advice: pathAdvice,
    variants: (sent) =>
      variantsWithValues(sent, "path", [sent.path.replace("//", "/"), sent.path.replace(/\/+v1\//, "//v1/")]),
  },
};

const methodMistakes: Readonly<Record<string, SignatureMistake>> = {
  "method missing": {
    description: "the path without POST and a space before it",
    advice: compositionAdvice,
    isFrequent: true,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ path, clientId, time }) => `${path}\n${clientId}.${time}.`,
        ({ path, clientId, time }) => ` ${path}\n${clientId}.${time}.`,
      ),
  },
  "method lower-case": {
    description: "the method in lower case",
    advice: "Write POST in capitals.",
    variants: (sent) => variantsWithValues(sent, "method", ["post", "Post"]),
  },
  "other method": {
    description: "another method than POST",
    advice: "Sign the method that you send: POST.",
    variants: (sent) => variantsWithValues(sent, "method", ["GET", "PUT", "PATCH"]),
  },
};

const clientIdMistakes: Readonly<Record<string, SignatureMistake>> = {
  "client id in other case": {
    description: "the client id in lower or upper case",
    advice: clientIdAdvice,
    variants: (sent) =>
      variantsWithValues(sent, "clientId", [sent.clientId.toLowerCase(), sent.clientId.toUpperCase()]),
  },
  "client id without SANDBOX_": {
    description: "the client id without SANDBOX_",
    advice: clientIdAdvice,
    isFrequent: true,
    variants: (sent) => variantsWithValues(sent, "clientId", [sent.clientId.replace(/^SANDBOX_/i, "")]),
  },
  "client id with SANDBOX_": {
    description: "the client id with SANDBOX_ before it",
    advice: clientIdAdvice,
    variants: (sent) => variantsWithValues(sent, "clientId", [`SANDBOX_${sent.clientId}`]),
  },
  "client id missing": {
    description: "no client id",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, time }) => `${method} ${path}\n${time}.`,
        ({ method, path, time }) => `${method} ${path}\n.${time}.`,
        ({ method, path, time }) => `${method} ${path}\nundefined.${time}.`,
        ({ method, path, time }) => `${method} ${path}\nnull.${time}.`,
      ),
  },
};

const timeMistakes: Readonly<Record<string, SignatureMistake>> = {
  "time in seconds": {
    description: "the time in seconds, where another form was sent",
    advice: timeAdvice,
    isFrequent: true,
    variants: (sent) => variantsOfTime(sent, (ms) => [String(Math.floor(ms / 1000)), (ms / 1000).toFixed(3)]),
  },
  "time in milliseconds": {
    description: "the time in milliseconds, where another form was sent",
    advice: timeAdvice,
    variants: (sent) => variantsOfTime(sent, (ms) => [String(ms)]),
  },
  "time in another form": {
    description: "the same time in another form of ISO 8601 than the one that was sent",
    advice: timeAdvice,
    variants: (sent) => variantsOfTime(sent, isoForms),
  },
  "time URL-encoded": {
    description: "the time URL-encoded, or with a space instead of its plus sign",
    advice: timeAdvice,
    variants: (sent) =>
      variantsWithValues(sent, "time", [
        encodeURIComponent(sent.time),
        sent.time.replace("+", "%2B"),
        sent.time.replace("+", " "),
      ]),
  },
  "time missing": {
    description: "no time",
    advice: compositionAdvice,
    variants: () =>
      variantsWithTextBeforeBody(
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}.`,
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}..`,
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}.undefined.`,
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}.null.`,
      ),
  },
};

/** Signature mistakes in method, path, client id and time. */
export const headerMistakes = { ...pathMistakes, ...methodMistakes, ...clientIdMistakes, ...timeMistakes };

/**
 * Maximum difference of two clock readings that the diagnosis tries, in milliseconds. These differences are tried last,
 * because there are many of them.
 */
const nearbyMsMax = 50;
const nearbySecondsMax = 5;

export const nearbyTimeMistakes: Readonly<Record<string, SignatureMistake>> = {
  "time taken twice": {
    description: "another time than the one that was sent, a moment apart",
    advice: timeAdvice,
    variants: (sent) => variantsWithValues(sent, "time", nearbyTimes(sent.time)),
  },
};

function variantsOfTime(
  sent: SignedParts,
  forms: (ms: number) => readonly string[],
): readonly Partial<SignedTextVariant>[] {
  const ms = parseRequestTime(sent.time);
  return ms === undefined ? [] : variantsWithValues(sent, "time", forms(ms));
}

/** The common forms in which client libraries write a moment, in UTC and at UTC+8. */
function isoForms(ms: number): readonly string[] {
  const utc = new Date(ms).toISOString();
  const east = new Date(ms + 8 * 3_600_000).toISOString();
  const seconds = utc.slice(0, 19);
  return [
    utc,
    ...["Z", "+00:00", "+0000", ""].map((zone) => seconds + zone),
    ...["+00:00", ""].map((zone) => utc.slice(0, 23) + zone),
    ...["+08:00", "+0800", ""].map((zone) => east.slice(0, 19) + zone),
    `${east.slice(0, 23)}+08:00`,
    seconds.replace("T", " "),
  ];
}

function nearbyTimes(time: string): readonly string[] {
  const ms = parseRequestTime(time);
  if (ms === undefined) return [];
  if (/^\d+$/.test(time)) {
    const seconds = symmetricOffsets(nearbySecondsMax).map((offset) => offset * 1000);
    return [...symmetricOffsets(nearbyMsMax), ...seconds, -(ms % 1000)].map((offset) => String(ms + offset));
  }
  // Times near the sent one in the same form, with other digits for the seconds and their fraction.
  const shiftTime = (offsetMs: number): string => {
    const local = Date.parse(`${time.slice(0, 19)}Z`) + (ms % 1000) + offsetMs;
    const text = new Date(local).toISOString();
    return text.slice(0, 19) + (time[19] === "." ? text.slice(19, 23) + time.slice(23) : time.slice(19));
  };
  const seconds = symmetricOffsets(nearbySecondsMax).map((offset) => shiftTime(offset * 1000));
  return /^.{19}\.\d{3}\D/.test(time)
    ? [...symmetricOffsets(nearbyMsMax).map(shiftTime), ...seconds]
    : seconds;
}

/** -1, 1, -2, 2, … */
function symmetricOffsets(max: number): readonly number[] {
  return Array.from({ length: max * 2 }, (_, index) => ((index >> 1) + 1) * (index % 2 === 0 ? -1 : 1));
}
