import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { durationIn, durationInWords } from "./duration.ts";
import { findGateway } from "./known-gateway.ts";
import { clockPatienceMs, repeatUntil } from "./repeat-until.ts";

/** Shows the merchant's test clock in the sandbox, or advances it and shows the actions that became due. */
export async function clock(given: Given): Promise<void> {
  const turn = { turnRequestId: newRequestId("cli"), ...arrivalOf(given.words[0], given.value("at")) };
  const { client } = await findGateway(given.value("folder"));
  const answer = await repeatUntil(
    () => client.tollgate.advanceClock(turn),
    ({ isPending }) => !isPending,
    clockPatienceMs,
  );
  if (answer.isPending) {
    throw new Error(
      "The clock is still advancing: an action that is due takes long. Check again with `tollgate clock`.",
    );
  }
  if (given.has("json")) return print(JSON.stringify(answer));
  const { fired = [], toTime = "" } = answer;
  for (const { time, action, id } of fired) print(`${time}  ${action.padEnd(28)}  ${id}`);
  print(`your clock: ${toTime}, ${aheadInWords(toTime)}`);
}

/** Returns the target of the test clock: a duration, a time, or nothing if the clock is only shown. */
function arrivalOf(
  word: string | undefined,
  at: string | undefined,
): { bySeconds: number } | { toTime: string } {
  if (word !== undefined && at !== undefined) throw new UsageError("Use a duration or --at, not both.");
  if (at !== undefined) {
    const ms = Date.parse(at);
    if (Number.isNaN(ms))
      throw new UsageError(`--at must be a time such as 2026-12-24T18:00:00Z, not ${at}.`);
    return { toTime: `${new Date(ms).toISOString().slice(0, 19)}+00:00` };
  }
  if (word === undefined) return { bySeconds: 0 };
  const bySeconds = durationIn(word);
  if (bySeconds === undefined)
    throw new UsageError(`${word} is not a duration: +15m, +2h, +1d12h. The clock only goes forward.`);
  return { bySeconds };
}

function aheadInWords(time: string): string {
  const aheadSeconds = (Date.parse(time) - Date.now()) / 1000;
  return aheadSeconds < 2 ? "equal to real time" : `${durationInWords(aheadSeconds)} ahead of real time`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
