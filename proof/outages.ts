import { turnTheClocks } from "./failures/outage-clock.ts";
import { serveWithTwoConnections, takeAllConnections } from "./failures/outage-connections.ts";
import { turnTheDatabasesClock } from "./failures/outage-database-clock.ts";
import { fillTheDisk } from "./failures/outage-disk.ts";
import { freezeTheDatabase, freezeTheStandby } from "./failures/outage-freeze.ts";
import { cutOneFromTheDatabase } from "./failures/outage-partition.ts";
import { replaceTheRelease } from "./failures/outage-rolling.ts";
import type { Outage } from "./failures/outage.ts";
import { runProof } from "./reports/run-proof.ts";

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
    "The database's disk is full, the database or its standby is frozen for half a minute, the clocks of our " +
    "processes or of the promoted server are an hour off, one of two processes is disconnected from its database, " +
    "no connection is left, or a pool of two, or one release is replaced by another and PostgreSQL is restarted. Callers " +
    "get a correct response in time, no acknowledged change is lost, no money moves twice, and normal operation resumes when " +
    "the fault ends.",
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
