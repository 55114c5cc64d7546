import { parseRequestTime } from "../core/request-time.ts";
import type { SignedParts } from "./signed-text.ts";
import { form, otherHeads, otherValues, type Draft, type SignatureMistake } from "./mistake.ts";

const pathAsSent = "Sign the path and query of the request line, exactly as sent, without scheme and host.";
const clientAsSent = "Sign the text of the header client-id, letter by letter.";
const timeAsSent = "Take the time once, and use the same text for the header and for the signed text.";

const pathSlips: Readonly<Record<string, SignatureMistake>> = {
  "live path": {
    signed: "the path of live, /ams/api/…, and sent to the sandbox's, /ams/sandbox/api/…",
    change: pathAsSent,
    isFrequent: true,
    drafts: (sent) => otherValues(sent, "path", [sent.path.replace("/ams/sandbox/", "/ams/")]),
  },
  "sandbox path": {
    signed: "the path of the sandbox, /ams/sandbox/api/…, and sent to /ams/api/…",
    change: pathAsSent,
    drafts: (sent) =>
      otherValues(sent, "path", [sent.path.replace(/^\/ams\/(?!sandbox\/)/, "/ams/sandbox/")]),
  },
  "full URL": {
    signed: "the whole address instead of the path",
    change: pathAsSent,
    isFrequent: true,
    drafts: (sent) =>
      otherValues(
        sent,
        "path",
        ["https://", "http://", ""].map((scheme) => `${scheme}${sent.host}${sent.path}`),
      ),
  },
  "no leading slash": {
    signed: "the path without the slash before it",
    change: pathAsSent,
    isFrequent: true,
    drafts: (sent) => otherValues(sent, "path", [sent.path.replace(/^\//, "")]),
  },
  "no query": {
    signed: "the path without its query",
    change: pathAsSent,
    isFrequent: true,
    drafts: (sent) => otherValues(sent, "path", [sent.path.replace(/\?.*$/s, "")]),
  },
  "question mark added": {
    signed: "the path with a question mark that was not sent",
    change: pathAsSent,
    drafts: (sent) => otherValues(sent, "path", [`${sent.path}?`]),
  },
  "slash at the end": {
    signed: "the path with a slash at its end that was not sent",
    change: pathAsSent,
    drafts: (sent) => otherValues(sent, "path", [sent.path.replace(/\/*(\?.*)?$/s, "/$1")]),
  },
  "path lower-case": {
    signed: "the path in lower case",
    change: pathAsSent,
    drafts: (sent) => otherValues(sent, "path", [sent.path.toLowerCase()]),
  },
  "path without /ams": {
    signed: "the path without /ams before it",
    change: pathAsSent,
    drafts: (sent) => otherValues(sent, "path", [sent.path.replace(/^\/ams/, "")]),
  },
  "end of the path": {
    signed: "only the end of the path, the operation's name",
    change: pathAsSent,
    drafts: (sent) => {
      const [, end = ""] = /\/v1\/([^?]+)/.exec(sent.path) ?? [];
      return end ? otherValues(sent, "path", [`/v1/${end}`, `v1/${end}`, `/${end}`, end]) : [];
    },
  },
  "path URL-encoded": {
    signed: "the path URL-encoded",
    change: pathAsSent,
    drafts: (sent) => otherValues(sent, "path", [encodeURIComponent(sent.path)]),
  },
  "doubled slash": {
    signed: "the path with one slash before its version and sent two, or the other way round",
    change: pathAsSent,
    drafts: (sent) =>
      otherValues(sent, "path", [sent.path.replace("//", "/"), sent.path.replace(/\/+v1\//, "//v1/")]),
  },
};

const methodSlips: Readonly<Record<string, SignatureMistake>> = {
  "method missing": {
    signed: "the path without POST and a space before it",
    change: form,
    isFrequent: true,
    drafts: () =>
      otherHeads(
        ({ path, clientId, time }) => `${path}\n${clientId}.${time}.`,
        ({ path, clientId, time }) => ` ${path}\n${clientId}.${time}.`,
      ),
  },
  "method lower-case": {
    signed: "the method in lower case",
    change: "Write POST in capitals.",
    drafts: (sent) => otherValues(sent, "method", ["post", "Post"]),
  },
  "other method": {
    signed: "another method than POST",
    change: "Sign the method that you send: POST.",
    drafts: (sent) => otherValues(sent, "method", ["GET", "PUT", "PATCH"]),
  },
};

const clientSlips: Readonly<Record<string, SignatureMistake>> = {
  "client id in other case": {
    signed: "the client id in lower or upper case",
    change: clientAsSent,
    drafts: (sent) =>
      otherValues(sent, "clientId", [sent.clientId.toLowerCase(), sent.clientId.toUpperCase()]),
  },
  "client id without SANDBOX_": {
    signed: "the client id without SANDBOX_",
    change: clientAsSent,
    isFrequent: true,
    drafts: (sent) => otherValues(sent, "clientId", [sent.clientId.replace(/^SANDBOX_/i, "")]),
  },
  "client id with SANDBOX_": {
    signed: "the client id with SANDBOX_ before it",
    change: clientAsSent,
    drafts: (sent) => otherValues(sent, "clientId", [`SANDBOX_${sent.clientId}`]),
  },
  "client id missing": {
    signed: "no client id",
    change: form,
    drafts: () =>
      otherHeads(
        ({ method, path, time }) => `${method} ${path}\n${time}.`,
        ({ method, path, time }) => `${method} ${path}\n.${time}.`,
        ({ method, path, time }) => `${method} ${path}\nundefined.${time}.`,
        ({ method, path, time }) => `${method} ${path}\nnull.${time}.`,
      ),
  },
};

const timeSlips: Readonly<Record<string, SignatureMistake>> = {
  "time in seconds": {
    signed: "the time in seconds, where another form was sent",
    change: timeAsSent,
    isFrequent: true,
    drafts: (sent) => ofMoment(sent, (ms) => [String(Math.floor(ms / 1000)), (ms / 1000).toFixed(3)]),
  },
  "time in milliseconds": {
    signed: "the time in milliseconds, where another form was sent",
    change: timeAsSent,
    drafts: (sent) => ofMoment(sent, (ms) => [String(ms)]),
  },
  "time in another form": {
    signed: "the same time in another form of ISO 8601 than the one that was sent",
    change: timeAsSent,
    drafts: (sent) => ofMoment(sent, isoForms),
  },
  "time URL-encoded": {
    signed: "the time URL-encoded, or with a space instead of its plus sign",
    change: timeAsSent,
    drafts: (sent) =>
      otherValues(sent, "time", [
        encodeURIComponent(sent.time),
        sent.time.replace("+", "%2B"),
        sent.time.replace("+", " "),
      ]),
  },
  "time missing": {
    signed: "no time",
    change: form,
    drafts: () =>
      otherHeads(
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}.`,
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}..`,
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}.undefined.`,
        ({ method, path, clientId }) => `${method} ${path}\n${clientId}.null.`,
      ),
  },
};

/** Signature mistakes in method, path, client id and time. */
export const headerMistakes = { ...pathSlips, ...methodSlips, ...clientSlips, ...timeSlips };

/**
 * Maximum difference of two clock readings that the diagnosis tries, in milliseconds. These differences are tried last,
 * because there are many of them.
 */
const nearMs = 50;
const nearSeconds = 5;

export const nearTimes: Readonly<Record<string, SignatureMistake>> = {
  "time taken twice": {
    signed: "another time than the one that was sent, a moment apart",
    change: timeAsSent,
    drafts: (sent) => otherValues(sent, "time", timesNear(sent.time)),
  },
};

function ofMoment(sent: SignedParts, forms: (ms: number) => readonly string[]): readonly Partial<Draft>[] {
  const ms = parseRequestTime(sent.time);
  return ms === undefined ? [] : otherValues(sent, "time", forms(ms));
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

function timesNear(time: string): readonly string[] {
  const ms = parseRequestTime(time);
  if (ms === undefined) return [];
  if (/^\d+$/.test(time)) {
    const seconds = around(nearSeconds).map((off) => off * 1000);
    return [...around(nearMs), ...seconds, -(ms % 1000)].map((off) => String(ms + off));
  }
  // Times near the sent one in the same form, with other digits for the seconds and their fraction.
  const shifted = (offMs: number): string => {
    const local = Date.parse(`${time.slice(0, 19)}Z`) + (ms % 1000) + offMs;
    const text = new Date(local).toISOString();
    return text.slice(0, 19) + (time[19] === "." ? text.slice(19, 23) + time.slice(23) : time.slice(19));
  };
  const seconds = around(nearSeconds).map((off) => shifted(off * 1000));
  return /^.{19}\.\d{3}\D/.test(time) ? [...around(nearMs).map(shifted), ...seconds] : seconds;
}

/** -1, 1, -2, 2, … */
function around(most: number): readonly number[] {
  return Array.from({ length: most * 2 }, (_, index) => ((index >> 1) + 1) * (index % 2 === 0 ? -1 : 1));
}
