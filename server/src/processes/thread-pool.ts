import { availableParallelism } from "node:os";

/**
 * Sets the size of libuv's thread pool, in which signatures are made, to the number of processors. The default of four
 * is too many for two processors and too few for sixteen. The function works only before the pool is used, because
 * libuv reads the size when it creates the pool at its first task.
 */
export function sizeThreadPool(): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(Math.max(2, availableParallelism()));
}
