import { connect, createServer, type Socket } from "node:net";

/*
 * The network between two regions: forwards bytes in order, delayed by a number of milliseconds in each direction.
 * A new connection takes an additional round trip, as over a long distance. `tc netem` is not used, because many
 * machines lack its kernel module.
 */
const [listenHost = "", listenPort = "", toHost = "", toPort = "", delay = ""] = process.argv.slice(2);
const delayMs = Number(delay);

const relay = createServer((client) => {
  const target = connect({ host: toHost, port: Number(toPort) });
  const establishedAtMs = performance.now() + 2 * delayMs;
  forward(client, target, establishedAtMs);
  forward(target, client, 0);
});
relay.listen(Number(listenPort), listenHost, () => process.stdout.write("The relay listens.\n"));

function forward(from: Socket, to: Socket, notBeforeMs: number): void {
  const runDelayed = (action: () => void): void => {
    const atMs = Math.max(performance.now(), notBeforeMs) + delayMs;
    setTimeout(action, atMs - performance.now());
  };
  from.setNoDelay(true);
  from.on("data", (chunk: Buffer) => runDelayed(() => void (to.writable && to.write(chunk))));
  from.on("end", () => runDelayed(() => to.end()));
  from.on("error", () => to.destroy());
  from.on("close", () => runDelayed(() => to.destroy()));
}
