import { shiftProcessClocks } from "./failures/outage-clock.ts";
import { serveWithTwoConnections, exhaustAllConnections } from "./failures/outage-connections.ts";
import { shiftDatabaseClock } from "./failures/outage-database-clock.ts";
import { fillDisk } from "./failures/outage-disk.ts";
import { freezeDatabase, freezeStandby } from "./failures/outage-freeze.ts";
import { partitionOneProcess } from "./failures/outage-partition.ts";
import { upgradeRelease } from "./failures/outage-rolling.ts";
import type { Outage } from "./failures/outage.ts";
import { runProof } from "./reports/run-proof.ts";

/** Command-line word → the outage that it runs. */
const outages: Readonly<Record<string, (logProgress: (line: string) => void) => Promise<Outage>>> = {
  disk: fillDisk,
  freeze: freezeDatabase,
  standby: freezeStandby,
  clock: shiftProcessClocks,
  "database-clock": shiftDatabaseClock,
  partition: partitionOneProcess,
  connections: exhaustAllConnections,
  pool: serveWithTwoConnections,
  rolling: upgradeRelease,
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
  async run({ tries, args, logProgress }) {
    const results: Outage[] = [];
    const selected = Object.entries(outages).filter(([name]) => args.length === 0 || args.includes(name));
    for (let index = 0; index < tries; index += 1)
      for (const [, runOutage] of selected) results.push(await runOutage(logProgress));
    const details = results.flatMap(({ name, figures }) => [
      `## ${name}`,
      "",
      "| | |",
      "| --- | --- |",
      ...Object.entries(figures).map(([figure, value]) => `| ${figure.replaceAll("_", " ")} | ${value} |`),
      "",
    ]);
    for (const { name, figures } of results) logProgress(`${name}: ${JSON.stringify(figures)}`);
    const misses = results.flatMap((outage) => outage.misses.map((miss) => `${outage.name}: ${miss}`));
    return { figures: { outages: results.length, misses: misses.length }, misses, details };
  },
});
