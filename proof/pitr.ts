import { execFileSync } from "node:child_process";
import { drills, takeDrill } from "./restore-drill.ts";
import { runProof, type ProofAsked, type Shown } from "./run-proof.ts";

await runProof({
  name: "pitr",
  claim:
    "Backups by pgBackRest and the WAL since then bring the gateway back, twice. All disks of the primary and of its standby are lost while payments are made; and somebody drops " +
    "the ledger, and the database is taken back to the moment before. `serve` and `work` go on running, as they do in a real night, and take payments again when there is a database. Everything that merchants " +
    "were told more than a minute before the loss is there. What the wallet has and we have not is what `match` lists when the wallet's file is imported, no more and no less. Then " +
    "payments are made, and all that was ever paid here is asked back: balances are right. `--tries` is the number of payments after each.",
  triesDefault: 200,
  run,
});

async function run({ tries, words, say }: ProofAsked): Promise<Shown> {
  if (!isInstalled()) {
    say("Install pgBackRest: apt-get install pgbackrest");
    return { figures: { skipped: "pgbackrest" }, misses: ["There is nothing to prove it with."] };
  }
  const shown: Shown[] = [];
  for (const drill of drills.filter(({ name }) => words.length === 0 || words.includes(name)))
    shown.push(await takeDrill(drill, { payments: tries, say }));
  return {
    figures: Object.assign({}, ...shown.map(({ figures }) => figures)) as Shown["figures"],
    misses: shown.flatMap(({ misses }) => misses),
  };
}

function isInstalled(): boolean {
  try {
    execFileSync("pgbackrest", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
