import type { Side, World } from "./world.ts";

/** One numbered statement of docs/interface.md, with a check that can fail, here or in another file. */
export type Statement = ShownStatement | ProvenStatement;

export interface ShownStatement {
  readonly number: string;
  readonly says: string;
  readonly check: Check;
}

/**
 * A statement that a test in another file proves, because it needs more than a check provides. The test's name contains
 * the statement's number.
 */
export interface ProvenStatement {
  readonly number: string;
  readonly says: string;
  readonly provenIn: string;
}

export type Check = (world: World) => Promise<void>;

export function shown(number: string, says: string, check: Check): ShownStatement {
  return { number, says, check };
}

export function proven(number: string, says: string, provenIn: string): ProvenStatement {
  return { number, says, provenIn };
}

/** `inBoth` returns a check that runs in sandbox and live. */
export function inBoth(check: (side: Side) => Promise<void>): Check {
  return async ({ sandbox, live }) => {
    await check(sandbox);
    await check(live);
  };
}

export function isProven(statement: Statement): statement is ProvenStatement {
  return "provenIn" in statement;
}
