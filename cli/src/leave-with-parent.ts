import { Socket } from "node:net";

/**
 * Preloaded into each part of `dev`: when `dev` is killed and can tell nobody, the pipe from it closes, and the part leaves
 * as if it had been told. No orphan holds the ports that the next start needs.
 */
const parent = new Socket({ fd: 3, readable: true, writable: false });
parent.on("error", () => undefined);
parent.on("close", () => {
  if (process.listenerCount("SIGTERM") === 0) process.exit(1);
  process.emit("SIGTERM", "SIGTERM");
  // Drain timeout, as `dev` has it: nobody is there to end a part that hangs.
  setTimeout(() => process.exit(1), 600).unref();
});
parent.resume().unref();
