import { availableParallelism } from "node:os";

/**
 * A thread for each processor in libuv's pool, where signatures are made. Its usual four are too many for two processors,
 * where they only take turns, and too few for sixteen. Works as long as the pool was not used: it is made at its
 * first task, and reads this variable then.
 */
export function sizeThreadPool(): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(Math.max(2, availableParallelism()));
}
