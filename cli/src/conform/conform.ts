import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { runGroups, type CaseGroup, type Verdict } from "./conformance-case.ts";
import type { PreparedCheck } from "./prepared-check.ts";
import { requireReachable } from "./send-request.ts";
import { parseHttpUrl } from "./parse-http-url.ts";
import { formatVerdict, hasPassed, formatSummary } from "./format-verdicts.ts";

export async function conformReceiver(args: CommandArguments): Promise<void> {
  const { checkReceiver } = await import("./receiver/check-receiver.ts");
  await runCheck("receiver", args, checkReceiver);
}

export async function conformGateway(args: CommandArguments): Promise<void> {
  const { checkGateway } = await import("./gateway/check-gateway.ts");
  await runCheck("gateway", args, checkGateway);
}

export async function conformConnector(args: CommandArguments): Promise<void> {
  const { checkProvider } = await import("./connector/check-connector.ts");
  await runCheck("provider", args, checkProvider);
}

/** Runs a check against another system and sets the exit code. */
async function runCheck<Context>(
  target: string,
  args: CommandArguments,
  prepare: (args: CommandArguments, url: URL) => Promise<PreparedCheck<Context>>,
): Promise<void> {
  const url = parseHttpUrl(args.positionals[0] ?? "");
  // `prepare` runs before the reachability check, because a receiver or a provider must be started with the key that
  // `prepare` creates.
  const preparedCheck = await prepare(args, url);
  try {
    await requireReachable(url);
    await runChecks(target, args, url, preparedCheck);
  } finally {
    await preparedCheck.stop();
  }
}

async function runChecks<Context>(
  target: string,
  args: CommandArguments,
  url: URL,
  preparedCheck: PreparedCheck<Context>,
): Promise<void> {
  const isForPeople = !args.has("json");
  const print = (text: string): void => void process.stdout.write(text);
  const groups = selectGroups(preparedCheck.groups, args.value("only"));
  let group = "";
  const show = (verdict: Verdict): void => {
    if (verdict.group !== group) print(`\n${verdict.group}\n`);
    group = verdict.group;
    print(formatVerdict(verdict));
  };
  if (isForPeople) print(`${preparedCheck.about}\n`);
  const verdicts = await runGroups(groups, preparedCheck.context, isForPeople ? show : () => undefined);
  const conclusion = preparedCheck.conclude?.(verdicts);
  const isPassed = hasPassed(verdicts);
  if (isForPeople) print(["", ...(conclusion?.lines ?? []), formatSummary(verdicts), ""].join("\n"));
  else
    print(
      `${JSON.stringify({ what: target, url: url.href, passed: isPassed, ...conclusion?.json, cases: verdicts })}\n`,
    );
  if (!isPassed) process.exitCode = 1;
}

/** Returns the cases that `--only` names, or all cases. */
function selectGroups<Context>(
  groups: readonly CaseGroup<Context>[],
  only: string | undefined,
): readonly CaseGroup<Context>[] {
  if (only === undefined) return groups;
  const selectedIds = only.split(",");
  const ids = groups.flatMap(({ cases }) => cases.map(({ id }) => id));
  const unknown = selectedIds.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}.${didYouMean(unknown, ids)}`);
  return groups
    .map(({ name, cases }) => ({ name, cases: cases.filter(({ id }) => selectedIds.includes(id)) }))
    .filter(({ cases }) => cases.length > 0);
}
