import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ComparedRevision } from "./compare-revisions.ts";

/** Replaces metrics and traces with no-ops: each function returns at once. */
const replacements: Readonly<Record<string, readonly [head: string, nothing: string]>> = {
  "server/src/telemetry/meter.ts": [
    "export function newMeter(): Meter {",
    `const no = (): void => undefined;
  return { add: no, set: no, observe: no, clear: no, beforeScrape: no, text: () => "" };`,
  ],
  "server/src/processes/open-traces.ts": [
    "export function openTraces(): OpenTraces {",
    `const no = (): undefined => undefined;
  return { startRecording: no, current: no, recordPayment: no, recordOutcome: no, logFields: () => ({}),
    run: (_trace, _step, work) => work(), send: (_step, work) => work({}) };`,
  ],
};

/** The revision HEAD without its metrics and traces. The difference from HEAD is the cost of metrics and traces. */
export const withoutTelemetry: ComparedRevision = {
  name: "unwatched",
  revision: "HEAD",
  change(folder) {
    for (const [name, [head, nothing]] of Object.entries(replacements)) {
      const file = join(folder, name);
      const text = readFileSync(file, "utf8");
      assert(text.includes(head), `${name} has no ${head}`);
      writeFileSync(file, text.replace(head, `${head}\n  ${nothing}`));
    }
  },
};
