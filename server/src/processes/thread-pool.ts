import { availableParallelism } from "node:os";

/**
 * Sets the size of libuv's thread pool, in which signatures are made, to the number of processors. The default of four
 * is too many for two processors and too few for sixteen. Works only before the pool is used: it is created at its
 * first task, and reads this variable then.
 */
export function sizeThreadPool(): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(Math.max(2, availableParallelism()));
}
