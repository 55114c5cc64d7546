import { newRequestId } from "../../../clients/typescript/src/request-id.ts";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { parseDuration, formatDuration } from "./duration.ts";
import { findGateway } from "./configured-gateway.ts";
import { clockPatienceMs, repeatUntil } from "./repeat-until.ts";

/** Shows the merchant's test clock in the sandbox, or advances it and shows the actions that became due. */
export async function clock(args: CommandArguments): Promise<void> {
  const request = {
    turnRequestId: newRequestId("cli"),
    ...readTarget(args.positionals[0], args.value("at")),
  };
  const { client } = await findGateway(args.value("folder"));
  const answer = await repeatUntil(
    () => client.tollgate.advanceClock(request),
    ({ isPending }) => !isPending,
    clockPatienceMs,
  );
  if (answer.isPending) {
    throw new Error(
      "The clock is still advancing: an action that is due takes long. Check again with `tollgate clock`.",
    );
  }
  if (args.has("json")) return print(JSON.stringify(answer));
  const { fired = [], toTime = "" } = answer;
  for (const { time, action, id } of fired) print(`${time}  ${action.padEnd(28)}  ${id}`);
  print(`your clock: ${toTime}, ${formatAhead(toTime)}`);
}

/** Returns the target of the test clock: a duration, a time, or nothing if the clock is only shown. */
function readTarget(
  durationText: string | undefined,
  timeText: string | undefined,
): { bySeconds: number } | { toTime: string } {
  if (durationText !== undefined && timeText !== undefined)
    throw new UsageError("Use a duration or --at, not both.");
  if (timeText !== undefined) {
    const ms = Date.parse(timeText);
    if (Number.isNaN(ms))
      throw new UsageError(`--at must be a time such as 2026-12-24T18:00:00Z, not ${timeText}.`);
    return { toTime: `${new Date(ms).toISOString().slice(0, 19)}+00:00` };
  }
  if (durationText === undefined) return { bySeconds: 0 };
  const bySeconds = parseDuration(durationText);
  if (bySeconds === undefined)
    throw new UsageError(
      `${durationText} is not a duration: +15m, +2h, +1d12h. The clock only goes forward.`,
    );
  return { bySeconds };
}

function formatAhead(time: string): string {
  const aheadSeconds = (Date.parse(time) - Date.now()) / 1000;
  return aheadSeconds < 2 ? "equal to real time" : `${formatDuration(aheadSeconds)} ahead of real time`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
