import { execFileSync } from "node:child_process";
import { drills, runDrill } from "./failures/restore-drill.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";

await runProof({
  name: "pitr",
  claim:
    "The gateway is restored from backups of pgBackRest and later WAL, in two cases. All disks of the primary and of its standby are lost during payments; and an operator drops " +
    "the ledger, and the database is restored to the moment before. `serve` and `work` keep running, as in production, and accept payments again when there is a database. Every change that merchants " +
    "knew more than a minute before the loss exists. After the import of the provider's file `reconcile` lists exactly the movements that only the provider has. Then " +
    "payments are made, and a refund of every payment is requested: balances are correct. `--tries` is the number of payments after each.",
  triesDefault: 200,
  run,
});

async function run({ tries, args, logProgress }: ProofOptions): Promise<ProofResult> {
  if (!isInstalled()) {
    logProgress("Install pgBackRest: apt-get install pgbackrest");
    return { figures: { skipped: "pgbackrest" }, misses: ["pgBackRest is missing."] };
  }
  const results: ProofResult[] = [];
  for (const drill of drills.filter(({ name }) => args.length === 0 || args.includes(name)))
    results.push(await runDrill(drill, { payments: tries, logProgress }));
  return {
    figures: Object.assign({}, ...results.map(({ figures }) => figures)) as ProofResult["figures"],
    misses: results.flatMap(({ misses }) => misses),
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
