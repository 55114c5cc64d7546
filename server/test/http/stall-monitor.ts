/**
 * Preloaded into a process under test (`node --import`): says when its one thread was busy for too long at a
 * stretch. It counts the time that the thread has worked, not the time on the wall: on a busy machine a
 * process waits for its turn, and that is not its fault.
 */
const stallMs = 100;
const lookEveryMs = 5;

let before = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  const busyMs = (user + system) / 1000;
  if (busyMs > stallMs)
    process.stderr.write(`The thread was busy for ${Math.round(busyMs)} ms at a stretch.\n`);
}, lookEveryMs).unref();
