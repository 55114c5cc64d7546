import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { runGroups, type Group, type Verdict } from "./case.ts";
import type { Checking } from "./checking.ts";
import { demandReachable } from "./exchange.ts";
import { addressIn } from "./address-in.ts";
import { linesOf, passes, summaryOf } from "./print-verdicts.ts";

export async function conformReceiver(given: Given): Promise<void> {
  const { checkReceiver } = await import("./receiver/check-receiver.ts");
  await check("receiver", given, checkReceiver);
}

export async function conformGateway(given: Given): Promise<void> {
  const { checkGateway } = await import("./gateway/check-gateway.ts");
  await check("gateway", given, checkGateway);
}

export async function conformConnector(given: Given): Promise<void> {
  const { checkProvider } = await import("./connector/check-connector.ts");
  await check("provider", given, checkProvider);
}

/** Runs a check against another system and sets the exit code. */
async function check<World>(
  what: string,
  given: Given,
  prepare: (given: Given, url: URL) => Promise<Checking<World>>,
): Promise<void> {
  const url = addressIn(given.words[0] ?? "");
  // `prepare` runs before the reachability check, because a receiver or a provider must be started with the key that
  // `prepare` creates.
  const checking = await prepare(given, url);
  try {
    await demandReachable(url);
    await runChecks(what, given, url, checking);
  } finally {
    await checking.stop();
  }
}

async function runChecks<World>(
  what: string,
  given: Given,
  url: URL,
  checking: Checking<World>,
): Promise<void> {
  const isForPeople = !given.has("json");
  const print = (text: string): void => void process.stdout.write(text);
  const groups = chosen(checking.groups, given.value("only"));
  let group = "";
  const show = (verdict: Verdict): void => {
    if (verdict.group !== group) print(`\n${verdict.group}\n`);
    group = verdict.group;
    print(linesOf(verdict));
  };
  if (isForPeople) print(`${checking.about}\n`);
  const verdicts = await runGroups(groups, checking.world, isForPeople ? show : () => undefined);
  const conclusion = checking.conclude?.(verdicts);
  const isPassed = passes(verdicts);
  if (isForPeople) print(["", ...(conclusion?.lines ?? []), summaryOf(verdicts), ""].join("\n"));
  else
    print(
      `${JSON.stringify({ what, url: url.href, passed: isPassed, ...conclusion?.json, cases: verdicts })}\n`,
    );
  if (!isPassed) process.exitCode = 1;
}

/** Returns the cases that `--only` names, or all cases. */
function chosen<World>(groups: readonly Group<World>[], only: string | undefined): readonly Group<World>[] {
  if (only === undefined) return groups;
  const wanted = only.split(",");
  const ids = groups.flatMap(({ cases }) => cases.map(({ id }) => id));
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw new UsageError(`There is no case ${unknown}.${didYouMean(unknown, ids)}`);
  return groups
    .map(({ name, cases }) => ({ name, cases: cases.filter(({ id }) => wanted.includes(id)) }))
    .filter(({ cases }) => cases.length > 0);
}
