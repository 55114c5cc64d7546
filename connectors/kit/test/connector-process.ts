import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import type { ConnectorSettings } from "../src/settings.ts";

/** The toy connector in a process of its own, which a test kills and starts again at the same ports. */
export interface ConnectorProcess {
  readonly url: string;
  readonly webhooksUrl: string;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Graceful shutdown; returns the exit status. */
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL("../toy/main.ts", import.meta.url));

export async function startConnectorProcess(
  settings: ConnectorSettings,
  providerUrl: string,
): Promise<ConnectorProcess> {
  const [port, webhookPort, metricsPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const env = {
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    TOY_PROVIDER_URL: providerUrl,
    CONNECTOR_DATABASE_URL: settings.databaseUrl,
    CONNECTOR_SECRETS_FOLDER: settings.secretsFolder,
    CONNECTOR_PARTNER_ID: settings.partnerId,
    CONNECTOR_KEY_FILE: settings.privateKeyFile,
    CONNECTOR_GATEWAY_KEY_FILE: settings.gatewayPublicKeyFile,
    CONNECTOR_PORT: String(port),
    CONNECTOR_WEBHOOK_PORT: String(webhookPort),
    CONNECTOR_METRICS_PORT: String(metricsPort),
    CONNECTOR_PROVIDER_TIMEOUT_MS: String(settings.providerTimeoutMs),
  };
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "pipe", "ignore"] });
    child = started;
    const [line] = (await once(createInterface(started.stdout), "line")) as [string];
    assert.match(line, /^\{"url":/);
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    webhooksUrl: `http://127.0.0.1:${webhookPort}/webhooks`,
    start,
    async kill() {
      const killed = child;
      if (!killed) return;
      const exited = once(killed, "exit");
      killed.kill("SIGKILL");
      await exited;
    },
    async stop() {
      const stopped = child;
      if (!stopped || stopped.exitCode !== null || stopped.signalCode !== null) return;
      const exited = once(stopped, "exit");
      stopped.kill("SIGTERM");
      const [status] = (await exited) as [number | null];
      assert.equal(status, 0);
    },
  };
}
