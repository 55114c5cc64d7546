import { Socket } from "node:net";

/**
 * Preloaded into each part of `dev`. When `dev` is killed, the pipe from it closes, and the part stops as after a
 * signal. No orphan process keeps the ports that the next start needs.
 */
const parent = new Socket({ fd: 3, readable: true, writable: false });
parent.on("error", () => undefined);
parent.on("close", () => {
  if (process.listenerCount("SIGTERM") === 0) process.exit(1);
  process.emit("SIGTERM", "SIGTERM");
  // 600 ms is the drain timeout of `dev`. The part enforces it itself, because no parent is left to kill a part that
  // hangs.
  setTimeout(() => process.exit(1), 600).unref();
});
parent.resume().unref();
