import { setTimeout as wait } from "node:timers/promises";
import { styleText } from "node:util";
import { resultCodes } from "../../../clients/typescript/src/generated/result-codes.ts";
import type { RememberedRequest } from "../../../clients/typescript/src/generated/models.ts";
import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { secondsIn } from "./duration.ts";
import { findGateway } from "./known-gateway.ts";

const askEveryMs = 1_000;
/**
 * Each poll repeats the last ten seconds: processes write the log in batches, so a newer entry can become visible
 * before an older one.
 */
const overlapMs = 10_000;
/** Operations that these commands poll; they are not requests of the merchant's own system. */
const polls = ["tollgate/inquiryRequests", "tollgate/inquiryEvents"];

/** Shows the merchant's API requests as they happen, with their results. */
export async function logs(given: Given): Promise<void> {
  const resultCode = codeOf(given.value("code"));
  const sinceSeconds = secondsIn("--since", given.value("since")) ?? 0;
  const { client } = await findGateway(given.value("folder"));
  const leaving = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => leaving.abort());
  if (!given.has("json") && !given.has("no-follow"))
    process.stderr.write("API requests as they happen; Ctrl-C stops it.\n");
  const seen = new Set<string>();
  let fromMs = Date.now() - sinceSeconds * 1000;
  while (!leaving.signal.aborted) {
    const askedAtMs = Date.now();
    const { requests = [] } = await client.tollgate.inquiryRequests({
      createdFrom: `${new Date(fromMs).toISOString().slice(0, 19)}+00:00`,
      ...(resultCode !== undefined && { resultCode }),
      limit: 500,
    });
    const news = requests.filter(({ requestId }) => !seen.has(requestId));
    for (const request of news) {
      seen.add(request.requestId);
      if (!given.has("all") && polls.some((path) => request.path.endsWith(path))) continue;
      process.stdout.write(given.has("json") ? `${JSON.stringify(request)}\n` : `${lineOf(request)}\n`);
    }
    if (given.has("no-follow")) return;
    fromMs = Math.max(fromMs, askedAtMs - overlapMs);
    await wait(askEveryMs, undefined, { signal: leaving.signal }).catch(() => undefined);
  }
}

function codeOf(word: string | undefined): string | undefined {
  const code = word?.toUpperCase();
  if (code === undefined || Object.hasOwn(resultCodes, code)) return code;
  throw new UsageError(`There is no result code ${word}.${didYouMean(code, Object.keys(resultCodes))}`);
}

function lineOf({ createdTime, path, resultCode, durationMs, requestId }: RememberedRequest): string {
  const time = styleText("dim", new Date(createdTime).toTimeString().slice(0, 8));
  const isGood = resultCodes[resultCode]?.error === undefined;
  const code = styleText(isGood ? "green" : "red", resultCode.padEnd(28));
  const operation = path.split("/").slice(-2).join("/");
  return `${time}  ${operation.padEnd(34)}  ${code}  ${`${durationMs} ms`.padStart(7)}  ${requestId}`;
}
