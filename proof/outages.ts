import { turnTheClocks } from "./outage-clock.ts";
import { serveWithTwoConnections, takeAllConnections } from "./outage-connections.ts";
import { turnTheDatabasesClock } from "./outage-database-clock.ts";
import { fillTheDisk } from "./outage-disk.ts";
import { freezeTheDatabase, freezeTheStandby } from "./outage-freeze.ts";
import { cutOneFromTheDatabase } from "./outage-partition.ts";
import { replaceTheRelease } from "./outage-rolling.ts";
import type { Outage } from "./outage.ts";
import { runProof } from "./run-proof.ts";

/** Command-line word → the outage that it runs. */
const outages: Readonly<Record<string, (say: (line: string) => void) => Promise<Outage>>> = {
  disk: fillTheDisk,
  freeze: freezeTheDatabase,
  standby: freezeTheStandby,
  clock: turnTheClocks,
  "database-clock": turnTheDatabasesClock,
  partition: cutOneFromTheDatabase,
  connections: takeAllConnections,
  pool: serveWithTwoConnections,
  rolling: replaceTheRelease,
};

await runProof({
  name: "outages",
  claim:
    "The database's disk is full, the database or its standby stands still for half a minute, the clocks of our " +
    "processes are an hour off, or that of the server that takes over, one of two processes is cut off from its database, " +
    "no connection is left, or a pool of two, or one release is replaced by another and PostgreSQL restarted. Callers " +
    "get an honest answer in time, nothing that was told is lost, nothing happens twice, and the business goes on when " +
    "the cause is gone.",
  triesDefault: 1,
  async run({ tries, words, say }) {
    const shown: Outage[] = [];
    const asked = Object.entries(outages).filter(([word]) => words.length === 0 || words.includes(word));
    for (let index = 0; index < tries; index += 1)
      for (const [, strike] of asked) shown.push(await strike(say));
    const details = shown.flatMap(({ name, figures }) => [
      `## ${name}`,
      "",
      "| | |",
      "| --- | --- |",
      ...Object.entries(figures).map(([figure, value]) => `| ${figure.replaceAll("_", " ")} | ${value} |`),
      "",
    ]);
    for (const { name, figures } of shown) say(`${name}: ${JSON.stringify(figures)}`);
    const misses = shown.flatMap((outage) => outage.misses.map((miss) => `${outage.name}: ${miss}`));
    return { figures: { outages: shown.length, misses: misses.length }, misses, details };
  },
});
