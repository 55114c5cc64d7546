import assert from "node:assert/strict";
import fc, { type AsyncCommand } from "fast-check";
import { readDisputeWebhooks } from "./dispute-events.ts";
import type { Model, Real } from "./run-context.ts";
import type { ModelPayment } from "./merchant-model.ts";

export type ModelCommand = AsyncCommand<Model, Real>;

interface CommandSteps {
  check?(model: Readonly<Model>): boolean;
  run(model: Model, real: Real): Promise<void>;
}

/** A command with the name that a failure report shows; the first word is its kind. */
export function newCommand(
  name: string,
  fault: string | undefined,
  { check, run }: CommandSteps,
): ModelCommand {
  const [kind = ""] = name.split(" ");
  return {
    check: (model) => check?.(model) ?? true,
    async run(model, real) {
      const { tally } = real;
      tally.commands += 1;
      tally.kinds.set(kind, (tally.kinds.get(kind) ?? 0) + 1);
      for (const payment of model.payments) readDisputeWebhooks(real, payment);
      await run(model, real);
    },
    toString: () => (fault ? `${name} (${fault})` : name),
  };
}

/** `rarely` draws a value in one of six cases, and otherwise undefined. */
export function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

/** Amounts are small, so that a part, the exact rest and too much are all likely. */
export const arbitraryAmount = fc.bigInt({ min: 1n, max: 2_000n });

/** Selects a payment: one where the command is likely to have an effect, or any. */
export interface Target {
  readonly nth: number;
  readonly isAimed: boolean;
  readonly name: string;
}

export const arbitraryTarget: fc.Arbitrary<Target> = fc
  .tuple(fc.nat({ max: 5 }), fc.constantFrom(true, true, true, false))
  .map(([nth, isAimed]) => ({ nth, isAimed, name: isAimed ? `#${nth}` : `#${nth} of all` }));

/**
 * Returns the payment that a target selects. Number 0 is the newest payment, for which most commands have an effect.
 */
export function selectPayment(
  { payments }: Readonly<Model>,
  { nth, isAimed }: Target,
  isLikely: (payment: ModelPayment) => boolean = () => true,
): ModelPayment {
  const likely = isAimed ? payments.filter(isLikely) : [];
  const candidates = likely.length > 0 ? likely : payments;
  return candidates.at(-1 - (nth % candidates.length)) ?? assert.fail("There is no payment yet.");
}
