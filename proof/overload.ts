import { startOverloads, type Overload } from "./overloads.ts";
import { runProof } from "./run-proof.ts";

const keptMin = 0.85;
const goodP99MsMax = 1_500;
const refusedP99MsMax = 100;
const recoverySecondsMax = 10;

await runProof({
  name: "overload",
  claim:
    "One process gets five times the payments that it can take, whether it answers or not, first over connections that are " +
    "kept and then over a new one for each; the wallet answers in 20 ms. It does at least " +
    `${keptMin * 100} % of what it can, 99 % of what it takes on is answered within ${goodP99MsMax} ms and 99 % of the rest is told to come later ` +
    `within ${refusedP99MsMax} ms, both from when a request was meant to be sent; and ${recoverySecondsMax} s later at most all is as it was. Over new connections ` +
    "only goodput and recovery are promised: a new connection costs more than a refusal, and waits in the kernel, where nobody can be " +
    "told anything. Nothing works beside the one process: half a minute later each payment would be asked after, and what can be " +
    "done would depend on when it is measured. Tries are seconds.",
  triesDefault: 60,
  async run({ tries: seconds, say }) {
    const overloads = await startOverloads(true);
    const rounds: Overload[] = [];
    for (const isFresh of [false, true]) {
      rounds.push(await overloads.run(isFresh, seconds));
      say(JSON.stringify(rounds.at(-1)));
    }
    await overloads.stop();
    const misses = rounds.flatMap((round) => {
      const name = round.isFresh ? "new connections" : "kept connections";
      return [
        ...(round.kept < keptMin ? [`${name}: goodput is ${round.kept} of capacity`] : []),
        ...(!round.isFresh && round.goodP99Ms > goodP99MsMax
          ? [`${name}: answers took ${round.goodP99Ms} ms`]
          : []),
        ...(!round.isFresh && round.refusedP99Ms > refusedP99MsMax
          ? [`${name}: refusals took ${round.refusedP99Ms} ms`]
          : []),
        ...(!round.isFresh && round.lost > 0
          ? [`${name}: ${round.lost} had no answer, or an unknown one`]
          : []),
        ...(round.recoverySeconds > recoverySecondsMax ? [`${name}: it has not recovered`] : []),
        ...(round.refused === 0 ? [`${name}: nobody was refused, so this was no overload`] : []),
      ];
    });
    const figures = Object.fromEntries(
      rounds.flatMap(({ isFresh, ...round }) =>
        Object.entries(round).map(
          ([name, figure]) => [`${isFresh ? "new" : "kept"}_${name}`, figure] as const,
        ),
      ),
    );
    return { figures, misses };
  },
});
