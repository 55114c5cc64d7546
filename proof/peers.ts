import { startSingleGateway } from "./installation/single-gateway.ts";
import { peers, measurePeer } from "./peers/peer.ts";
import { measureSubject, type PeerRow } from "./peers/measure-peer.ts";
import { newTollgateClient } from "./peers/peer-client.ts";
import { runProof } from "./reports/run-proof.ts";

const tableHead =
  "| | calls of a merchant | payments/s | CPU ms a payment | refused | 100 identical requests at once became | installed in |";

await runProof({
  name: "peers",
  claim:
    "Alternatives that a developer can install within minutes, compared with ours, one after the other on one machine: payments per second with 16 callers who wait " +
    "for their responses, the CPU time of all processes for one payment, and the result of a hundred identical requests with one idempotency key that are " +
    "sent concurrently. The three are fakes for tests of another interface, and do less: none keeps a payment through a crash, signs or verifies messages, or has a provider or a ledger. So " +
    "their rates are not comparable with ours; the important column is the last but one. Ours is PostgreSQL with fsync, `serve`, `work` and the provider simulator, and a payment " +
    "counts with its signed response, including one order at the provider. Callers share the processors. Tries are seconds.",
  triesDefault: 5,
  async run({ tries: seconds, args, logProgress }) {
    const rows: string[] = [];
    const misses: string[] = [];
    const ownRow = await measureOurs(seconds);
    logProgress(formatRow(ownRow));
    rows.push(formatRow(ownRow));
    const { payments, answers, refused, firstRefusal } = ownRow.identical;
    if (payments !== 1 || answers !== 1)
      misses.push(`a hundred identical requests became ${payments} payments in ${answers} different answers`);
    if (refused > 0) logProgress(`${refused} of a hundred were rejected: ${firstRefusal}`);
    const differs: string[] = [];
    for (const peer of peers.filter(
      ({ name }) => args.length === 0 || args.includes(name.split(" ")[0] ?? ""),
    )) {
      const row = await measurePeer(peer, seconds);
      const text = typeof row === "string" ? `| ${peer.name} | ${row} | | | | | |` : formatRow(row);
      logProgress(text);
      rows.push(text);
      differs.push(`- ${peer.name} ${peer.differs}.`);
    }
    return {
      figures: {
        payments_per_second: Math.round(ownRow.perSecond),
        cpu_ms: ownRow.cpuMs.toFixed(2),
        payments_of_100: payments,
      },
      misses,
      details: [
        tableHead,
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
  const gateway = await startSingleGateway({
    durable: true,
    hasWorker: true,
    variables: { TOLLGATE_LOG_LEVEL: "warn" },
  });
  try {
    const { pids } = gateway;
    return await measureSubject(
      { name: "Tollgate", differs: "", pids, client: newTollgateClient(gateway) },
      seconds,
    );
  } finally {
    await gateway.stop();
  }
}

function formatRow({ name, calls, perSecond, cpuMs, refused, identical, installSeconds }: PeerRow): string {
  const { payments, answers, refused: refusedOf100 } = identical;
  const responseText = answers === 1 ? "one response for all" : `${answers} different responses`;
  const outcome = `${payments} ${payments === 1 ? "payment" : "payments"}, ${responseText}, ${refusedOf100} refused`;
  const installed = installSeconds === undefined ? "–" : `${installSeconds.toFixed(0)} s`;
  return `| ${name} | ${calls} | ${perSecond.toFixed(0)} | ${cpuMs.toFixed(2)} | ${refused} | ${outcome} | ${installed} |`;
}
