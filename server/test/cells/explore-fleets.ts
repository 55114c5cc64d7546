import assert from "node:assert/strict";
import { test } from "node:test";
import type { Held, Holding, MoveStep } from "../../src/cells/home.ts";
import { explore, protocol, type Plan, type Protocol } from "./move-model.ts";

const there: Plan = { source: "a", target: "b", wants: "move" };
const either: Plan = { ...there, wants: "either" };
const back: Plan = { source: "b", target: "a", wants: "move" };
const onwards: Plan = { source: "b", target: "c", wants: "move" };
const elsewhere: Plan = { source: "a", target: "c", wants: "move" };

const largest = "two movers, and an operator who thinks better of it";

/** Two movers at a time, each of which may be killed at every step, and begun again. */
const fleets: Readonly<Record<string, readonly Plan[]>> = {
  "one mover": [there],
  "two movers with the same order": [there, there],
  "two movers with different orders": [there, elsewhere],
  "a mover, and one that brings the client back": [there, back],
  "a mover, and one that takes the client further": [there, onwards],
  [largest]: [there, either],
};

const { afterStep, nextMove, whoAnswers, mayCopy } = protocol;

function steps(change: (held: Held, step: MoveStep) => Holding | undefined): Partial<Protocol> {
  return { afterStep: (held, step) => change(held, step) ?? afterStep(held, step) };
}

interface Mistake {
  readonly rules: Partial<Protocol>;
  readonly finds: RegExp;
  /** Found only in the largest fleet. */
  readonly isRare?: true;
}

/** Mistakes in the protocol, each of which the model has to find. */
const mistakes: Readonly<Record<string, Mistake>> = {
  "a move is undone after the client has gone": {
    rules: {
      ...steps(({ holding }, { step, epoch }) =>
        step === "undo" && holding?.state === "gone" ? { state: "here", epoch } : undefined,
      ),
      nextMove: (view) => {
        const { holding } = view.source.held;
        return view.wants === "undo" && holding?.state === "gone"
          ? { at: "source", do: { step: "undo", epoch: holding.epoch } }
          : nextMove(view);
      },
    },
    finds: /two homes/,
  },
  "the target opens before the source has closed for good": {
    rules: {
      nextMove: (view) => {
        const next = nextMove(view);
        if (!("at" in next) || next.do.step !== "leave") return next;
        return { at: "target", do: { step: "settle", epoch: next.do.epoch } };
      },
    },
    finds: /two homes|for ever/,
  },
  "the last copy does not wait for transactions from before the fence": {
    rules: { waitsForWriters: () => false },
    finds: /lacks a write|still writes/,
  },
  "the fence is asked of a copy in memory": {
    rules: { asksInTransaction: () => false },
    finds: /lacks a write|still writes/,
  },
  "a cell forgets who has gone": {
    rules: { keepsTombstones: () => false },
    finds: /says for ever that there is no such client/,
  },
  "what has come is noted before it has": {
    rules: { notesCopiesWithRows: () => false },
    finds: /lacks a write/,
  },
  "a run of the mover writes after the copy was sealed": {
    rules: {
      mayCopy: (held, epoch, turn) =>
        mayCopy(held, epoch, turn) || (held.holding?.state === "ready" && held.holding.epoch === epoch),
    },
    finds: /lacks a write/,
  },
  "a new attempt believes what an earlier one has copied": {
    isRare: true,
    rules: { forgetsCopies: () => false },
    finds: /lacks a write/,
  },
  "a forwarded call is forwarded again": {
    rules: { whoAnswers: (me, held, listed) => whoAnswers(me, held, listed, false) },
    finds: /forwarded twice/,
  },
  "a cell that does not own the bucket says that there is no such client": {
    rules: {
      whoAnswers: (me, held, listed, isForwarded) =>
        held.holding || held.hasClient ? whoAnswers(me, held, listed, isForwarded) : "nobody",
    },
    finds: /says for ever that there is no such client/,
  },
  "an attempt that was undone leaves its number to the next one": {
    isRare: true,
    rules: steps((held, { step, epoch }) =>
      step === "undo" && held.holding?.state === "leaving" && held.holding.epoch === epoch
        ? { state: "here", epoch: epoch - 1 }
        : undefined,
    ),
    finds: /lacks a write|still writes/,
  },
  "the source closes for good before all is copied": {
    rules: {
      nextMove: (view) => {
        const next = nextMove(view);
        if (!("work" in next) || next.work !== "finish") return next;
        return { at: "source", do: { step: "leave", epoch: next.epoch } };
      },
    },
    finds: /lacks a write|for ever/,
  },
  "nobody opens the target when the mover was killed in between": {
    rules: {
      nextMove: (view) => {
        const next = nextMove(view);
        const isAfterCrash = view.turn === undefined && "at" in next && next.do.step === "settle";
        return isAfterCrash ? { work: "none" } : next;
      },
    },
    finds: /for ever/,
  },
  "a client arrives over one that lives there": {
    rules: steps((held, step) =>
      step.step === "prepare" && held.holding?.state === "here"
        ? { state: "arriving", epoch: step.epoch, cell: step.from, turn: (held.holding.turn ?? 0) + 1 }
        : undefined,
    ),
    finds: /lacks a write|for ever/,
  },
  "what is left of a dead attempt is believed more than the directory": {
    rules: {
      whoAnswers: (me, held, { bucket }, isForwarded) => whoAnswers(me, held, { bucket }, isForwarded),
    },
    finds: /for ever/,
  },
};

/** What is explored in seconds, or the largest fleet with what is found only there. */
export function exploreFleets(extent: "small" | "largest"): void {
  const isLargest = extent === "largest";
  const chosen = Object.entries(fleets).filter(([fleet]) => (fleet === largest) === isLargest);
  for (const [fleet, plans] of chosen)
    void test(`${fleet}: one home, every write that was told, no false "no", and never none for ever`, (context) => {
      const { states, violation } = explore(plans);
      context.diagnostic(`${states} states`);
      assert.equal(violation, undefined, violation && [violation.what, ...violation.way].join("\n  "));
      // A model in which little can happen shows nothing.
      assert.ok(states > 300);
    });
  for (const [mistake, { rules, finds, isRare = false }] of Object.entries(mistakes))
    if (isRare === isLargest)
      void test(`the model finds it when ${mistake}`, () => {
        const found: string[] = [];
        for (const [, plans] of chosen) {
          const { violation } = explore(plans, { ...protocol, ...rules });
          if (violation) found.push(violation.what);
          if (violation && finds.test(violation.what)) return;
        }
        assert.fail(`found: ${found.join("; ") || "nothing"}`);
      });
}
