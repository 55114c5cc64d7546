import assert from "node:assert/strict";
import fc from "fast-check";
import { acts, approvesLate, expires } from "./buyer-commands.ts";
import type { ModelCommand } from "./command.ts";
import { compare } from "./compare.ts";
import { answers } from "./dispute-answers.ts";
import { decides, disputes } from "./dispute-commands.ts";
import type { Model, Real, Tally } from "./run-context.ts";
import {
  cancels,
  cancelsUnknown,
  captures,
  refunds,
  repeatsCapture,
  repeatsRefund,
} from "./money-commands.ts";
import { inquires, inquiresRefund, pays, repeatsPay, strangerTries } from "./pay-commands.ts";
import { chooses, confuses, opensSession } from "./session-commands.ts";
import { issues, tills } from "./store-commands.ts";
import { applies, links, queries, refreshes, revokes, spends, takesBack } from "./token-commands.ts";
import type { World } from "./world.ts";

/** Relative frequency of each command. */
const shares: readonly (readonly [number, fc.Arbitrary<ModelCommand>])[] = [
  [4, pays],
  [2, repeatsPay],
  [9, acts],
  [1, expires],
  [2, approvesLate],
  [3, cancels],
  [1, cancelsUnknown],
  [5, captures],
  [2, repeatsCapture],
  [5, refunds],
  [2, repeatsRefund],
  [2, inquires],
  [1, inquiresRefund],
  [2, strangerTries],
  [9, disputes],
  [8, decides],
  [14, answers],
  [2, links],
  [2, applies],
  [4, refreshes],
  [2, revokes],
  [2, queries],
  [2, takesBack],
  [6, spends],
  [3, tills],
  [2, issues],
  [3, opensSession],
  [4, chooses],
  [1, confuses],
];
const allCommands = shares.flatMap(([share, commands]) => Array.from({ length: share }, () => commands));

export interface Extent {
  readonly runs: number;
  readonly commandsMax: number;
  readonly seed: number;
  /** The path in a failure report. With it, the run repeats exactly the reported sequence. */
  readonly path?: string | undefined;
  readonly replayPath?: string | undefined;
}

/** Runs random commands against one merchant of the world, and compares with the model. Throws with seed and path. */
export async function runModel(world: World, queue: number, extent: Extent, tally: Tally): Promise<void> {
  const { runs, commandsMax, seed, path, replayPath } = extent;
  const merchant = world.merchants[queue] ?? assert.fail("There are more concurrent runs than merchants.");
  const newRequestId = (): string => `model-${(tally.requests += 1)}`;
  const real: Real = { world, merchant, newRequestId, tally };
  const some = fc.commands(allCommands, {
    maxCommands: commandsMax,
    size: "max",
    ...(replayPath !== undefined && { replayPath }),
  });
  const property = fc.asyncProperty(some, async (commands) => {
    tally.runs += 1;
    const model: Model = { payments: [], agreements: [], others: new Map() };
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await compare(real, model);
  });
  await fc.assert(property, { seed, numRuns: runs, ...(path !== undefined && { path }) });
}
