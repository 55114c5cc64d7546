import { setTimeout as wait } from "node:timers/promises";
import { styleText } from "node:util";
import { resultCodes } from "../../../clients/typescript/src/generated/result-codes.ts";
import type { RememberedRequest } from "../../../clients/typescript/src/generated/models.ts";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { parseDurationOption } from "./duration.ts";
import { findGateway } from "./configured-gateway.ts";

const pollIntervalMs = 1_000;
/**
 * Each poll repeats the last ten seconds: processes write the log in batches, so a newer entry can become visible
 * before an older one.
 */
const overlapMs = 10_000;
/** Operations that these commands poll; they are not requests of the merchant's own system. */
const pollingOperations = ["tollgate/inquiryRequests", "tollgate/inquiryEvents"];

/** Shows the merchant's API requests as they happen, with their results. */
export async function logs(args: CommandArguments): Promise<void> {
  const resultCode = parseCode(args.value("code"));
  const sinceSeconds = parseDurationOption("--since", args.value("since")) ?? 0;
  const { client } = await findGateway(args.value("folder"));
  const stopping = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopping.abort());
  if (!args.has("json") && !args.has("no-follow"))
    process.stderr.write("API requests as they happen; Ctrl-C stops it.\n");
  const printedIds = new Set<string>();
  let fromMs = Date.now() - sinceSeconds * 1000;
  while (!stopping.signal.aborted) {
    const requestedAtMs = Date.now();
    const { requests = [] } = await client.tollgate.inquiryRequests({
      createdFrom: `${new Date(fromMs).toISOString().slice(0, 19)}+00:00`,
      ...(resultCode !== undefined && { resultCode }),
      limit: 500,
    });
    const newRequests = requests.filter(({ requestId }) => !printedIds.has(requestId));
    for (const request of newRequests) {
      printedIds.add(request.requestId);
      if (!args.has("all") && pollingOperations.some((path) => request.path.endsWith(path))) continue;
      process.stdout.write(args.has("json") ? `${JSON.stringify(request)}\n` : `${formatRequest(request)}\n`);
    }
    if (args.has("no-follow")) return;
    fromMs = Math.max(fromMs, requestedAtMs - overlapMs);
    await wait(pollIntervalMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}

function parseCode(text: string | undefined): string | undefined {
  const code = text?.toUpperCase();
  if (code === undefined || Object.hasOwn(resultCodes, code)) return code;
  throw new UsageError(`There is no result code ${text}.${didYouMean(code, Object.keys(resultCodes))}`);
}

function formatRequest({ createdTime, path, resultCode, durationMs, requestId }: RememberedRequest): string {
  const time = styleText("dim", new Date(createdTime).toTimeString().slice(0, 8));
  const isSuccess = resultCodes[resultCode]?.error === undefined;
  const code = styleText(isSuccess ? "green" : "red", resultCode.padEnd(28));
  const operation = path.split("/").slice(-2).join("/");
  return `${time}  ${operation.padEnd(34)}  ${code}  ${`${durationMs} ms`.padStart(7)}  ${requestId}`;
}
