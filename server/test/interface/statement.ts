import type { TestEnvironment, TestEnvironments } from "./test-environments.ts";

/** One numbered statement of docs/interface.md, with a check that can fail, here or in another file. */
export type Statement = CheckedStatement | ProvenStatement;

export interface CheckedStatement {
  readonly number: string;
  readonly text: string;
  readonly check: Check;
}

/**
 * A statement that a test in another file proves, because it needs more than a check provides. The test's name contains
 * the statement's number.
 */
export interface ProvenStatement {
  readonly number: string;
  readonly text: string;
  readonly provenIn: string;
}

export type Check = (world: TestEnvironments) => Promise<void>;

export function checked(number: string, text: string, check: Check): CheckedStatement {
  return { number, text, check };
}

export function provenElsewhere(number: string, text: string, provenIn: string): ProvenStatement {
  return { number, text, provenIn };
}

/** `inBothEnvironments` returns a check that runs in sandbox and live. */
export function inBothEnvironments(check: (side: TestEnvironment) => Promise<void>): Check {
  return async ({ sandbox, live }) => {
    await check(sandbox);
    await check(live);
  };
}

export function isProven(statement: Statement): statement is ProvenStatement {
  return "provenIn" in statement;
}
