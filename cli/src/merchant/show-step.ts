import { styleText } from "node:util";
import type { Step } from "./sandbox.ts";

/** A line on standard error for each thing that is done. */
export function showStep({ did, came }: Step): void {
  process.stderr.write(`${styleText("dim", `  ${did} → ${came}`, { stream: process.stderr })}\n`);
}
