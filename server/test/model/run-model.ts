import assert from "node:assert/strict";
import fc from "fast-check";
import { buyerActionCommands, lateApprovalCommands, expiryCommands } from "./buyer-commands.ts";
import type { ModelCommand } from "./model-command.ts";
import { compareWithModel } from "./compare.ts";
import { disputeAnswerCommands } from "./dispute-answers.ts";
import { disputeDecisionCommands, disputeCommands } from "./dispute-commands.ts";
import type { Model, Real, Tally } from "./run-context.ts";
import {
  cancelCommands,
  cancelUnknownCommands,
  captureCommands,
  refundCommands,
  reverseRefundCommands,
  repeatCaptureCommands,
  repeatRefundCommands,
} from "./money-commands.ts";
import {
  inquiryCommands,
  refundInquiryCommands,
  payCommands,
  repeatPayCommands,
  outsiderCommands,
} from "./pay-commands.ts";
import { chooseMethodCommands, wrongOperationCommands, openSessionCommands } from "./session-commands.ts";
import { orderCodeCommands, paymentCodeCommands } from "./store-commands.ts";
import {
  applyTokenCommands,
  consentCommands,
  queryTokenCommands,
  refreshTokenCommands,
  revokeTokenCommands,
  tokenPaymentCommands,
  withdrawConsentCommands,
} from "./token-commands.ts";
import type { RealSystem } from "./real-system.ts";

/** Relative frequency of each command. */
const shares: readonly (readonly [number, fc.Arbitrary<ModelCommand>])[] = [
  [4, payCommands],
  [2, repeatPayCommands],
  [9, buyerActionCommands],
  [1, expiryCommands],
  [2, lateApprovalCommands],
  [3, cancelCommands],
  [1, cancelUnknownCommands],
  [5, captureCommands],
  [2, repeatCaptureCommands],
  [5, refundCommands],
  [2, repeatRefundCommands],
  [2, reverseRefundCommands],
  [2, inquiryCommands],
  [1, refundInquiryCommands],
  [2, outsiderCommands],
  [9, disputeCommands],
  [8, disputeDecisionCommands],
  [14, disputeAnswerCommands],
  [2, consentCommands],
  [2, applyTokenCommands],
  [4, refreshTokenCommands],
  [2, revokeTokenCommands],
  [2, queryTokenCommands],
  [2, withdrawConsentCommands],
  [6, tokenPaymentCommands],
  [3, paymentCodeCommands],
  [2, orderCodeCommands],
  [3, openSessionCommands],
  [4, chooseMethodCommands],
  [1, wrongOperationCommands],
];
const allCommands = shares.flatMap(([share, commands]) => Array.from({ length: share }, () => commands));

export interface RunOptions {
  readonly runs: number;
  readonly commandsMax: number;
  readonly seed: number;
  /** The path in a failure report. With it, the run repeats exactly the reported sequence. */
  readonly path?: string | undefined;
  readonly replayPath?: string | undefined;
}

/** Runs random commands against one merchant of the system, and compares with the model. Throws with seed and path. */
export async function runModel(
  system: RealSystem,
  queue: number,
  options: RunOptions,
  tally: Tally,
): Promise<void> {
  const { runs, commandsMax, seed, path, replayPath } = options;
  const merchant = system.merchants[queue] ?? assert.fail("There are more concurrent runs than merchants.");
  const newRequestId = (): string => `model-${(tally.requests += 1)}`;
  const real: Real = { system, merchant, newRequestId, tally };
  const commandSequences = fc.commands(allCommands, {
    maxCommands: commandsMax,
    size: "max",
    ...(replayPath !== undefined && { replayPath }),
  });
  const property = fc.asyncProperty(commandSequences, async (commands) => {
    tally.runs += 1;
    const model: Model = { payments: [], agreements: [], outsiderPayments: new Map() };
    await fc.asyncModelRun(() => ({ model, real }), commands);
    await compareWithModel(real, model);
  });
  await fc.assert(property, { seed, numRuns: runs, ...(path !== undefined && { path }) });
}
