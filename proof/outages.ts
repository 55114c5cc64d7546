import { turnTheClocks } from "./outage-clock.ts";
import { serveWithTwoConnections, takeAllConnections } from "./outage-connections.ts";
import { fillTheDisk } from "./outage-disk.ts";
import { freezeTheDatabase, freezeTheStandby } from "./outage-freeze.ts";
import { cutOneFromTheDatabase } from "./outage-partition.ts";
import type { Outage } from "./outage.ts";
import { runProof } from "./run-proof.ts";

/** By the word with which one can be asked for alone. */
const outages: Readonly<Record<string, (say: (line: string) => void) => Promise<Outage>>> = {
  disk: fillTheDisk,
  freeze: freezeTheDatabase,
  standby: freezeTheStandby,
  clock: turnTheClocks,
  partition: cutOneFromTheDatabase,
  connections: takeAllConnections,
  pool: serveWithTwoConnections,
};

await runProof({
  name: "outages",
  claim:
    "The database's disk is full, the database or its standby stands still for half a minute, the clocks of our " +
    "processes are an hour off, one of two processes is cut off from its database, there is no connection left, or a " +
    "pool of two. Callers get an honest answer in time, nothing that was told is lost, nothing happens twice, and the business " +
    "goes on when the cause is gone.",
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
