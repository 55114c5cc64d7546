import assert from "node:assert/strict";
import { test } from "node:test";
import type { LocalHome, StoredHome, MoveStep } from "../../src/cells/home.ts";
import { explore, protocol, type Plan, type Protocol } from "./move-model.ts";

const moveFromAToB: Plan = { source: "a", target: "b", goal: "move" };
const moveOrUndo: Plan = { ...moveFromAToB, goal: "either" };
const moveBack: Plan = { source: "b", target: "a", goal: "move" };
const moveFromBToC: Plan = { source: "b", target: "c", goal: "move" };
const moveFromAToC: Plan = { source: "a", target: "c", goal: "move" };

const largestFleet = "two movers, and an operator who thinks better of it";

/** Two concurrent movers, each of which may be killed at every step and started again. */
const fleets: Readonly<Record<string, readonly Plan[]>> = {
  "one mover": [moveFromAToB],
  "two movers with the same order": [moveFromAToB, moveFromAToB],
  "two movers with different orders": [moveFromAToB, moveFromAToC],
  "a mover, and one that brings the client back": [moveFromAToB, moveBack],
  "a mover, and one that moves the client to a third cell": [moveFromAToB, moveFromBToC],
  [largestFleet]: [moveFromAToB, moveOrUndo],
};

const { afterStep, nextMoveAction, routeRequest, mayCopy } = protocol;

function withStep(change: (held: LocalHome, step: MoveStep) => StoredHome | undefined): Partial<Protocol> {
  return { afterStep: (held, step) => change(held, step) ?? afterStep(held, step) };
}

interface Mistake {
  readonly rules: Partial<Protocol>;
  readonly expectedViolation: RegExp;
  /** True if only the largest fleet detects the mistake. */
  readonly isRare?: true;
}

/** Mistakes in the protocol that the model must detect. */
const mistakes: Readonly<Record<string, Mistake>> = {
  "a move is undone after the client has gone": {
    rules: {
      ...withStep(({ stored }, { step, epoch }) =>
        step === "undo" && stored?.state === "gone" ? { state: "here", epoch } : undefined,
      ),
      nextMoveAction: (view) => {
        const { stored } = view.source.home;
        return view.goal === "undo" && stored?.state === "gone"
          ? { at: "source", do: { step: "undo", epoch: stored.epoch } }
          : nextMoveAction(view);
      },
    },
    expectedViolation: /two homes/,
  },
  "the target opens before the source has closed permanently": {
    rules: {
      nextMoveAction: (view) => {
        const next = nextMoveAction(view);
        if (!("at" in next) || next.do.step !== "leave") return next;
        return { at: "target", do: { step: "settle", epoch: next.do.epoch } };
      },
    },
    expectedViolation: /two homes|permanently/,
  },
  "the last copy does not wait for transactions from before the fence": {
    rules: { waitsForWriters: () => false },
    expectedViolation: /lacks a write|still writes/,
  },
  "the fence is checked in a cached copy": {
    rules: { checksFenceInTransaction: () => false },
    expectedViolation: /lacks a write|still writes/,
  },
  "a cell deletes the tombstone of a client that moved": {
    rules: { keepsTombstones: () => false },
    expectedViolation: /reports permanently that the client is unknown/,
  },
  "copied rows are recorded before they are written": {
    rules: { recordsCopiesWithRows: () => false },
    expectedViolation: /lacks a write/,
  },
  "a run of the mover writes after the copy was sealed": {
    rules: {
      mayCopy: (held, epoch, moverRun) =>
        mayCopy(held, epoch, moverRun) || (held.stored?.state === "ready" && held.stored.epoch === epoch),
    },
    expectedViolation: /lacks a write/,
  },
  "a new attempt trusts the copy progress of an earlier one": {
    isRare: true,
    rules: { discardsCopyProgress: () => false },
    expectedViolation: /lacks a write/,
  },
  "a forwarded request is forwarded again": {
    rules: { routeRequest: (me, held, listed) => routeRequest(me, held, listed, false) },
    expectedViolation: /forwarded twice/,
  },
  "a cell that does not own the bucket reports that the client does not exist": {
    rules: {
      routeRequest: (me, held, listed, isForwarded) =>
        held.stored || held.hasClient ? routeRequest(me, held, listed, isForwarded) : "unknown-client",
    },
    expectedViolation: /reports permanently that the client is unknown/,
  },
  "a new attempt reuses the epoch of one that was undone": {
    isRare: true,
    rules: withStep((held, { step, epoch }) =>
      step === "undo" && held.stored?.state === "leaving" && held.stored.epoch === epoch
        ? { state: "here", epoch: epoch - 1 }
        : undefined,
    ),
    expectedViolation: /lacks a write|still writes/,
  },
  "the source closes permanently before the copy is complete": {
    rules: {
      nextMoveAction: (view) => {
        const next = nextMoveAction(view);
        if (!("work" in next) || next.work !== "finish") return next;
        return { at: "source", do: { step: "leave", epoch: next.epoch } };
      },
    },
    expectedViolation: /lacks a write|permanently/,
  },
  "no mover opens the target after a mover was killed in between": {
    rules: {
      nextMoveAction: (view) => {
        const next = nextMoveAction(view);
        const isAfterCrash = view.moverRun === undefined && "at" in next && next.do.step === "settle";
        return isAfterCrash ? { work: "none" } : next;
      },
    },
    expectedViolation: /permanently/,
  },
  "a client arrives in a cell that is its home": {
    rules: withStep((held, step) =>
      step.step === "prepare" && held.stored?.state === "here"
        ? { state: "arriving", epoch: step.epoch, cell: step.from, moverRun: (held.stored.moverRun ?? 0) + 1 }
        : undefined,
    ),
    expectedViolation: /lacks a write|permanently/,
  },
  "rows of a dead attempt override the directory": {
    rules: {
      routeRequest: (me, held, { bucketOwner: bucket }, isForwarded) =>
        routeRequest(me, held, { bucketOwner: bucket }, isForwarded),
    },
    expectedViolation: /permanently/,
  },
};

/** Explores the fleets that take seconds; or the largest fleet, with the mistakes that only it detects. */
export function exploreFleets(extent: "small" | "largest"): void {
  const isLargest = extent === "largest";
  const selectedFleets = Object.entries(fleets).filter(([fleet]) => (fleet === largestFleet) === isLargest);
  for (const [fleet, plans] of selectedFleets)
    void test(`${fleet}: one home, no lost write, no false "does not exist", and never without a home permanently`, (context) => {
      const { states, violation } = explore(plans);
      context.diagnostic(`${states} states`);
      assert.equal(violation, undefined, violation && [violation.invariant, ...violation.steps].join("\n  "));
      // The model must have many states, because a model with few states proves nothing.
      assert.ok(states > 300);
    });
  for (const [mistake, { rules, expectedViolation, isRare = false }] of Object.entries(mistakes))
    if (isRare === isLargest)
      void test(`the model detects the mistake: ${mistake}`, () => {
        const found: string[] = [];
        for (const [, plans] of selectedFleets) {
          const { violation } = explore(plans, { ...protocol, ...rules });
          if (violation) found.push(violation.invariant);
          if (violation && expectedViolation.test(violation.invariant)) return;
        }
        assert.fail(`found: ${found.join("; ") || "nothing"}`);
      });
}
