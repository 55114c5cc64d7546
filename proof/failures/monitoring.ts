import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";

/** A real Prometheus with the operators' rules, and the Alertmanager that would page an operator. */
export interface Monitoring {
  /** Names of the active alerts. */
  raised(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const deploy = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));
const readyWithinMs = 30_000;
const installHint =
  "Prometheus and Alertmanager are needed (Debian: apt-get install prometheus prometheus-alertmanager).";

/** Ports of metrics, by the name of the scrape job. */
type Targets = Readonly<Record<"tollgate-serve" | "tollgate-work", readonly number[]>>;

export async function startMonitoring(targets: Targets): Promise<Monitoring> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-monitoring-"));
  const [port, alertsPort] = [await findFreePort(), await findFreePort()];
  copyFileSync(join(deploy, "rules.yaml"), join(folder, "rules.yaml"));
  writeFileSync(join(folder, "prometheus.yaml"), buildConfig(targets, alertsPort));
  writeFileSync(
    join(folder, "alertmanager.yaml"),
    "route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n",
  );
  const children = [
    spawnProgram("prometheus-alertmanager", [
      `--config.file=${join(folder, "alertmanager.yaml")}`,
      `--storage.path=${join(folder, "alerts")}`,
      `--web.listen-address=127.0.0.1:${alertsPort}`,
      "--cluster.listen-address=",
    ]),
    spawnProgram("prometheus", [
      `--config.file=${join(folder, "prometheus.yaml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]),
  ];
  const killAll = (): void => children.forEach((child) => void child.kill("SIGKILL"));
  process.once("exit", killAll);
  const alertsUrl = `http://127.0.0.1:${alertsPort}`;
  await waitUntilReady(`${alertsUrl}/-/ready`);
  await waitUntilReady(`http://127.0.0.1:${port}/-/ready`);
  return {
    async raised() {
      const answer = await fetch(`${alertsUrl}/api/v2/alerts?active=true`);
      const alerts = (await answer.json()) as readonly { readonly labels: { readonly alertname: string } }[];
      return [...new Set(alerts.map(({ labels }) => labels.alertname))].sort();
    },
    async stop() {
      process.off("exit", killAll);
      killAll();
      await Promise.all(children.map(waitForExit));
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/**
 * Returns deploy/prometheus/prometheus.yaml, the example configuration for operators, with the ports of this machine.
 */
function buildConfig(targets: Targets, alertsPort: number): string {
  const example = readFileSync(join(deploy, "prometheus.yaml"), "utf8").replace(
    "127.0.0.1:9093",
    `127.0.0.1:${alertsPort}`,
  );
  return Object.entries(targets).reduce((text, [job, ports]) => {
    const targetList = ports.map((port) => `"127.0.0.1:${port}"`).join(", ");
    return text.replace(new RegExp(`(job_name: ${job}[^]*?targets: )\\[.*?\\]`), `$1[${targetList}]`);
  }, example);
}

function spawnProgram(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: "ignore" });
  child.on("error", (cause) => {
    throw new Error(installHint, { cause });
  });
  return child;
}

async function waitUntilReady(url: string): Promise<void> {
  for (const giveUpAtMs = performance.now() + readyWithinMs; performance.now() < giveUpAtMs;) {
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await waitMs(100);
  }
  throw new Error(`${url} is not ready. ${installHint}`);
}

async function waitForExit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once("exit", resolve));
}
