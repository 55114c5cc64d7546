import { limits, missesOf, recoverySecondsMax, startOverloads, type Overload } from "./overloads.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "overload",
  claim:
    "One process gets five times the payments that it can take, whether it answers or not, first over connections that are " +
    "kept and then over a new one for each; the wallet answers in 20 ms. It does at least " +
    `${limits.kept.goodputMin * 100} % of what it can (new connections: ${limits.fresh.goodputMin * 100} %, as thousands a second have to be taken and refused). Of what it takes on, 99 % is answered within ${limits.kept.goodP99MsMax} ms (new connections: ${limits.fresh.goodP99MsMax} ms), and of the rest ` +
    `99 % is told to come later within ${limits.kept.refusedP99MsMax} ms (${limits.fresh.refusedP99MsMax} ms), both from when a request was meant to be sent; nobody is left without an answer, ` +
    `and ${recoverySecondsMax} s later at most all is as it was. Callers and the process have priority over the database and the wallet, ` +
    "with which they share two processors here. Nothing works beside the one process: half a minute later each payment would be asked after, " +
    "and what can be done would depend on when it is measured. Tries are seconds.",
  triesDefault: 60,
  async run({ tries: seconds, say }) {
    const overloads = await startOverloads(true);
    const rounds: Overload[] = [];
    for (const isFresh of [false, true]) {
      rounds.push(await overloads.run(isFresh, seconds));
      say(JSON.stringify(rounds.at(-1)));
    }
    await overloads.stop();
    const figures = Object.fromEntries(
      rounds.flatMap(({ isFresh, ...round }) =>
        Object.entries(round).map(
          ([name, figure]) => [`${isFresh ? "new" : "kept"}_${name}`, figure] as const,
        ),
      ),
    );
    return { figures, misses: rounds.flatMap(missesOf) };
  },
});
