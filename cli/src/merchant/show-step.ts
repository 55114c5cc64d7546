import { styleText } from "node:util";
import type { Step } from "./sandbox.ts";

/** Prints a line on standard error for each step. */
export function showStep({ did, came }: Step): void {
  process.stderr.write(`${styleText("dim", `  ${did} → ${came}`, { stream: process.stderr })}\n`);
}
