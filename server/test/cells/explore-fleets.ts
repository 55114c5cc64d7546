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

/** Two concurrent movers, each of which may be killed at every step and started again. */
const fleets: Readonly<Record<string, readonly Plan[]>> = {
  "one mover": [there],
  "two movers with the same order": [there, there],
  "two movers with different orders": [there, elsewhere],
  "a mover, and one that brings the client back": [there, back],
  "a mover, and one that moves the client to a third cell": [there, onwards],
  [largest]: [there, either],
};

const { afterStep, nextMoveAction, routeRequest, mayCopy } = protocol;

function steps(change: (held: Held, step: MoveStep) => Holding | undefined): Partial<Protocol> {
  return { afterStep: (held, step) => change(held, step) ?? afterStep(held, step) };
}

interface Mistake {
  readonly rules: Partial<Protocol>;
  readonly finds: RegExp;
  /** True if only the largest fleet detects the mistake. */
  readonly isRare?: true;
}

/** Mistakes in the protocol that the model must detect. */
const mistakes: Readonly<Record<string, Mistake>> = {
  "a move is undone after the client has gone": {
    rules: {
      ...steps(({ holding }, { step, epoch }) =>
        step === "undo" && holding?.state === "gone" ? { state: "here", epoch } : undefined,
      ),
      nextMoveAction: (view) => {
        const { holding } = view.source.held;
        return view.wants === "undo" && holding?.state === "gone"
          ? { at: "source", do: { step: "undo", epoch: holding.epoch } }
          : nextMoveAction(view);
      },
    },
    finds: /two homes/,
  },
  "the target opens before the source has closed permanently": {
    rules: {
      nextMoveAction: (view) => {
        const next = nextMoveAction(view);
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
  "the fence is checked in a cached copy": {
    rules: { asksInTransaction: () => false },
    finds: /lacks a write|still writes/,
  },
  "a cell deletes the tombstone of a client that moved": {
    rules: { keepsTombstones: () => false },
    finds: /says for ever that there is no such client/,
  },
  "copied rows are recorded before they are written": {
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
  "a new attempt trusts the copy progress of an earlier one": {
    isRare: true,
    rules: { forgetsCopies: () => false },
    finds: /lacks a write/,
  },
  "a forwarded request is forwarded again": {
    rules: { routeRequest: (me, held, listed) => routeRequest(me, held, listed, false) },
    finds: /forwarded twice/,
  },
  "a cell that does not own the bucket reports that the client does not exist": {
    rules: {
      routeRequest: (me, held, listed, isForwarded) =>
        held.holding || held.hasClient ? routeRequest(me, held, listed, isForwarded) : "unknown-client",
    },
    finds: /says for ever that there is no such client/,
  },
  "a new attempt reuses the epoch of one that was undone": {
    isRare: true,
    rules: steps((held, { step, epoch }) =>
      step === "undo" && held.holding?.state === "leaving" && held.holding.epoch === epoch
        ? { state: "here", epoch: epoch - 1 }
        : undefined,
    ),
    finds: /lacks a write|still writes/,
  },
  "the source closes permanently before the copy is complete": {
    rules: {
      nextMoveAction: (view) => {
        const next = nextMoveAction(view);
        if (!("work" in next) || next.work !== "finish") return next;
        return { at: "source", do: { step: "leave", epoch: next.epoch } };
      },
    },
    finds: /lacks a write|for ever/,
  },
  "no mover opens the target after a mover was killed in between": {
    rules: {
      nextMoveAction: (view) => {
        const next = nextMoveAction(view);
        const isAfterCrash = view.turn === undefined && "at" in next && next.do.step === "settle";
        return isAfterCrash ? { work: "none" } : next;
      },
    },
    finds: /for ever/,
  },
  "a client arrives in a cell that is its home": {
    rules: steps((held, step) =>
      step.step === "prepare" && held.holding?.state === "here"
        ? { state: "arriving", epoch: step.epoch, cell: step.from, turn: (held.holding.turn ?? 0) + 1 }
        : undefined,
    ),
    finds: /lacks a write|for ever/,
  },
  "rows of a dead attempt override the directory": {
    rules: {
      routeRequest: (me, held, { bucket }, isForwarded) => routeRequest(me, held, { bucket }, isForwarded),
    },
    finds: /for ever/,
  },
};

/** Explores the fleets that take seconds; or the largest fleet, with the mistakes that only it detects. */
export function exploreFleets(extent: "small" | "largest"): void {
  const isLargest = extent === "largest";
  const chosen = Object.entries(fleets).filter(([fleet]) => (fleet === largest) === isLargest);
  for (const [fleet, plans] of chosen)
    void test(`${fleet}: one home, no lost write, no false "does not exist", and never without a home permanently`, (context) => {
      const { states, violation } = explore(plans);
      context.diagnostic(`${states} states`);
      assert.equal(violation, undefined, violation && [violation.what, ...violation.way].join("\n  "));
      // The model must have many states, because a model with few states proves nothing.
      assert.ok(states > 300);
    });
  for (const [mistake, { rules, finds, isRare = false }] of Object.entries(mistakes))
    if (isRare === isLargest)
      void test(`the model detects the mistake: ${mistake}`, () => {
        const found: string[] = [];
        for (const [, plans] of chosen) {
          const { violation } = explore(plans, { ...protocol, ...rules });
          if (violation) found.push(violation.what);
          if (violation && finds.test(violation.what)) return;
        }
        assert.fail(`found: ${found.join("; ") || "nothing"}`);
      });
}
