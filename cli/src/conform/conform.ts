import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { didYouMean } from "../../../server/src/commands/did-you-mean.ts";
import { runGroups, type Group, type Verdict } from "./case.ts";
import type { Checking } from "./checking.ts";
import { demandReachable } from "./exchange.ts";
import { addressIn } from "./given.ts";
import { linesOf, passes, summaryOf } from "./print-verdicts.ts";

type Run = (given: Given, url: URL) => Promise<void>;

/** What can be checked. Each is loaded when it is asked for. */
const subjects: Readonly<Record<string, Run>> = {
  receiver: async (given, url) =>
    check(given, url, await (await import("./receiver/check-receiver.ts")).checkReceiver(given, url)),
  gateway: async (given, url) =>
    check(given, url, await (await import("./gateway/check-gateway.ts")).checkGateway(given, url)),
  wallet: async (given, url) =>
    check(given, url, await (await import("./wallet/check-wallet.ts")).checkWallet(given, url)),
};

/** Checks a receiver, a gateway or a wallet by talking to it, and sets the exit code. */
export async function conform(given: Given): Promise<void> {
  const [what = "", address = ""] = given.words;
  const run = Object.hasOwn(subjects, what) ? subjects[what] : undefined;
  if (!run) {
    const names = Object.keys(subjects);
    throw new UsageError(`WHAT is ${names.join(", ")}, and not ${what}.${didYouMean(what, names)}`);
  }
  const url = addressIn(address);
  await demandReachable(url);
  await run(given, url);
}

async function check<World>(given: Given, url: URL, checking: Checking<World>): Promise<void> {
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
  await checking.stop();
  const conclusion = checking.conclude?.(verdicts);
  const [what = ""] = given.words;
  const isPassed = passes(verdicts);
  if (isForPeople) print(["", ...(conclusion?.lines ?? []), summaryOf(verdicts), ""].join("\n"));
  else
    print(
      `${JSON.stringify({ what, url: url.href, passed: isPassed, ...conclusion?.json, cases: verdicts })}\n`,
    );
  if (!isPassed) process.exitCode = 1;
}

/** The cases that were asked for by their ids, or all. */
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
