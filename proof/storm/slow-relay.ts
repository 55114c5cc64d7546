import { connect, createServer, type Socket } from "node:net";

/*
 * The network between two regions: forwards bytes in order, delayed by a number of milliseconds in each direction.
 * A new connection takes an additional round trip, as over a long distance. `tc netem` is not used, because many
 * machines lack its kernel module.
 */
const [listenHost = "", listenPort = "", toHost = "", toPort = "", delay = ""] = process.argv.slice(2);
const delayMs = Number(delay);

const relay = createServer((near) => {
  const far = connect({ host: toHost, port: Number(toPort) });
  const establishedAtMs = performance.now() + 2 * delayMs;
  passOn(near, far, establishedAtMs);
  passOn(far, near, 0);
});
relay.listen(Number(listenPort), listenHost, () => process.stdout.write("The relay listens.\n"));

function passOn(from: Socket, to: Socket, notBeforeMs: number): void {
  const later = (work: () => void): void => {
    const atMs = Math.max(performance.now(), notBeforeMs) + delayMs;
    setTimeout(work, atMs - performance.now());
  };
  from.setNoDelay(true);
  from.on("data", (chunk: Buffer) => later(() => void (to.writable && to.write(chunk))));
  from.on("end", () => later(() => to.end()));
  from.on("error", () => to.destroy());
  from.on("close", () => later(() => to.destroy()));
}
