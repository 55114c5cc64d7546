import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { planMoves, type CellLoad } from "./rebalance.ts";

const load = (cell: string, ...payments: readonly number[]): CellLoad => ({
  cell,
  merchants: payments.map((count, index) => ({ clientId: `${cell}${index}`, payments: count })),
});
const describePlan = (loads: readonly CellLoad[], within = 10): readonly string[] =>
  planMoves(loads, within).moves.map(({ clientId, to, payments }) => `${clientId} → ${to}: ${payments}`);

test("balanced cells need no move", () => {
  assert.deepEqual(describePlan([load("a", 50, 50), load("b", 95)]), []);
});

test("the merchant that halves the difference best moves to the emptiest cell", () => {
  assert.deepEqual(describePlan([load("a", 60, 30, 10), load("b"), load("c", 40)]), ["a0 → b: 60"]);
});

test("a merchant that fills a cell alone stays, and the others of its cell move", () => {
  assert.deepEqual(describePlan([load("a", 1_000, 20), load("b", 10)]), ["a1 → b: 20"]);
});

test("a new empty cell is filled from all others", () => {
  const { cells } = planMoves([load("a", 10, 10, 10, 10), load("b", 10, 10, 10, 10), load("c")], 10);
  assert.ok(cells.every(({ after }) => after >= 20 && after <= 30));
});

test("no plan makes the fullest cell fuller, loses a payment, or moves a merchant to its own cell", () => {
  const cell = fc.array(fc.nat(1_000), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), fc.nat(50), (given, within) => {
      const { moves, cells } = planMoves(
        given.map((payments, index) => load(`c${index}`, ...payments)),
        within,
      );
      const [before, after] = [cells.map((each) => each.before), cells.map((each) => each.after)];
      assert.ok(Math.max(...after) <= Math.max(...before));
      assert.equal(sum(after), sum(before));
      assert.ok(moves.every(({ from, to }) => from !== to));
      assert.equal(new Set(moves.map(({ clientId }) => clientId)).size, moves.length);
    }),
  );
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
