import { styleText } from "node:util";
import type { Step } from "./sandbox.ts";

/** Prints a line on standard error for each step. */
export function printStep({ action, outcome }: Step): void {
  process.stderr.write(`${styleText("dim", `  ${action} → ${outcome}`, { stream: process.stderr })}\n`);
}
