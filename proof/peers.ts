import { startLoneGateway } from "./lone-gateway.ts";
import { peers, tryPeer } from "./peer.ts";
import { measureSubject, type PeerRow } from "./peer-trial.ts";
import { tollgateWay } from "./peer-way.ts";
import { runProof } from "./run-proof.ts";

const heads =
  "| | calls of a merchant | payments/s | CPU ms a payment | refused | 100 identical requests at once became | installed in |";

await runProof({
  name: "peers",
  claim:
    "What a developer would run in our place, where it installs within minutes, beside ours, one after the other on one machine: payments a second with 16 callers who wait " +
    "for their answers, the CPU time that all processes of it take for one, and what a hundred requests with the same idempotency key and the same bytes become when they are " +
    "sent at once. The three are fakes for tests of another interface, and do less: none keeps a payment through a crash, signs or verifies anything, has a wallet or a ledger. So " +
    "their rates are no goal, and ours is no merit beside them; the last but one column is the point. Ours is PostgreSQL with fsync, `serve`, `work` and the wallet's simulator, and a payment " +
    "counts with its signed answer, one order at the wallet included. Callers share the processors. Tries are seconds.",
  triesDefault: 5,
  async run({ tries: seconds, words, say }) {
    const rows: string[] = [];
    const misses: string[] = [];
    const ours = await measureOurs(seconds);
    say(rowOf(ours));
    rows.push(rowOf(ours));
    const { payments, answers, refused, firstRefusal } = ours.identical;
    if (payments !== 1 || answers !== 1)
      misses.push(`a hundred identical requests became ${payments} payments in ${answers} different answers`);
    if (refused > 0) say(`${refused} of a hundred were refused: ${firstRefusal}`);
    const differs: string[] = [];
    for (const peer of peers.filter(
      ({ name }) => words.length === 0 || words.includes(name.split(" ")[0] ?? ""),
    )) {
      const row = await tryPeer(peer, seconds);
      const text = typeof row === "string" ? `| ${peer.name} | ${row} | | | | | |` : rowOf(row);
      say(text);
      rows.push(text);
      differs.push(`- ${peer.name} ${peer.differs}.`);
    }
    return {
      figures: {
        payments_per_second: Math.round(ours.perSecond),
        cpu_ms: ours.cpuMs.toFixed(2),
        payments_of_100: payments,
      },
      misses,
      details: [
        heads,
        "| --- | --- | --: | --: | --: | --- | --: |",
        ...rows,
        "",
        "What differs:",
        "",
        ...differs,
      ],
    };
  },
});

async function measureOurs(seconds: number): Promise<PeerRow> {
  const gateway = await startLoneGateway({
    durable: true,
    works: true,
    variables: { TOLLGATE_LOG_LEVEL: "warn" },
  });
  try {
    const { pids } = gateway;
    return await measureSubject({ name: "Tollgate", differs: "", pids, way: tollgateWay(gateway) }, seconds);
  } finally {
    await gateway.stop();
  }
}

function rowOf({ name, calls, perSecond, cpuMs, refused, identical, installSeconds }: PeerRow): string {
  const { payments, answers, refused: refusedOf100 } = identical;
  const said = answers === 1 ? "one answer to all" : `${answers} different answers`;
  const became = `${payments} ${payments === 1 ? "payment" : "payments"}, ${said}, ${refusedOf100} refused`;
  const installed = installSeconds === undefined ? "–" : `${installSeconds.toFixed(0)} s`;
  return `| ${name} | ${calls} | ${perSecond.toFixed(0)} | ${cpuMs.toFixed(2)} | ${refused} | ${became} | ${installed} |`;
}
