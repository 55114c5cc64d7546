import { after } from "node:test";
import type { Operator } from "../../src/operator-session/owner-session.ts";
import { openDatabase } from "../../src/postgres/database.ts";
import type { TestDatabase } from "./test-database.ts";

const operators = new Map<string, Operator>();

/** An operator whose acts share connections: a new one for each act would cost more than most acts. */
export function operatorOf({ ownerUrl: url, environment }: TestDatabase): Operator {
  const existing = operators.get(url);
  if (existing) return existing;
  const database = openDatabase({
    url,
    applicationName: "tollgate operator",
    connectionsMax: 4,
    readsWholeTables: true,
    statementTimeoutMs: 60_000,
    onFault: () => undefined,
  });
  // Inside a test, this hook runs when the test ends, so the next test opens new connections.
  after(async () => {
    operators.delete(url);
    await database.close();
  });
  const operator = { url, environment, database };
  operators.set(url, operator);
  return operator;
}
