/**
 * Preloaded into a process under test (`node --import`): reports when its event loop was blocked for too long. It
 * counts CPU time of the thread, not wall time, because on a busy machine a process also waits for the CPU.
 */
const stallMs = 100;
const pollIntervalMs = 5;

let lastUsage = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(lastUsage);
  lastUsage = process.threadCpuUsage();
  const busyMs = (user + system) / 1000;
  if (busyMs > stallMs)
    process.stderr.write(`The thread was busy for ${Math.round(busyMs)} ms at a stretch.\n`);
}, pollIntervalMs).unref();
