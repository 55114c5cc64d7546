import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { newCallbacks } from "./callbacks.ts";
import { newCardServer } from "./card/card-server.ts";
import { openKeys } from "./keys.ts";
import { lockFolder } from "./lock.ts";
import { readOptions, type Options } from "./options.ts";
import { paysByCard } from "./wallet/order.ts";
import { newPendingOperations } from "./wallet/pending-operations.ts";
import { allowFraming } from "./pages/page.ts";
import { newServer } from "./server.ts";
import { openWallet } from "./wallet/wallet.ts";

const shutdownTimeoutMs = 1_000;

try {
  await start(readOptions(process.argv.slice(2)));
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

/** Starts the wallet, prints its address as one line of JSON, and runs until a signal stops it. */
async function start(options: Options): Promise<void> {
  const folder = resolve(options.dataFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(folder);
  const { partnerId, gatewayPublicKeyFile, algorithm } = options;
  const partner = { partnerId, keys: openKeys(folder, gatewayPublicKeyFile, algorithm) };
  const controlSecret = options.controlSecretFile
    ? readFileSync(options.controlSecretFile, "utf8").trim()
    : randomBytes(32).toString("base64url");
  if (controlSecret === "") throw new Error("The control secret is empty.");
  if (options.framedBy !== undefined) allowFraming(options.framedBy);
  const callbacks = newCallbacks({ partner, pausesMs: options.callbackGapsMs, log });
  const pendingOperations = newPendingOperations();
  let { publicUrl = "", cardPublicUrl = "" } = options;
  const wallet = await openWallet({
    journalFile: join(folder, "effects.jsonl"),
    now: Date.now,
    pageUrl: (order) => `${paysByCard(order) ? cardPublicUrl : publicUrl}/pay/${order.token}`,
    consentUrl: (token) => `${publicUrl}/authorize/${token}`,
    secretFor: (name) => partner.keys.secretFor(name),
    onLine: (line, projection) => {
      callbacks.onLine(line, projection);
      pendingOperations.onLine(line, projection);
    },
    onFault: (cause) => {
      log(`The journal can not be written: ${String(cause)}`);
      process.exit(1);
    },
  });
  const { host, port, cardPort, listsOrders, tillUrl } = options;
  const server = newServer({ wallet, partner, controlSecret, log, pageOptions: { listsOrders, tillUrl } });
  const cardServer = newCardServer({ wallet, log });
  const [walletUrl, cardUrl] = [await listen(server, host, port), await listen(cardServer, host, cardPort)];
  publicUrl ||= walletUrl;
  cardPublicUrl ||= cardUrl;
  callbacks.start(wallet);
  pendingOperations.start(wallet);

  const shutDown = async (): Promise<void> => {
    callbacks.stop();
    pendingOperations.stop();
    await Promise.all([server, cardServer].map(closeServer));
    await wallet.journal.onDisk();
    unlock();
    process.exit(0);
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => void shutDown());
  const { publicKeyFile } = partner.keys;
  const ready = { walletUrl, cardUrl, publicKeyFile, controlSecret, pid: process.pid };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

/**
 * Listens on the loopback address by default, because every visitor of the pages can act as a buyer. The control API
 * always requires a loopback address.
 */
async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolveListening, reject) => {
    server.once("error", reject).listen(port, host, resolveListening);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Graceful shutdown: accepts no new connections, and gives open requests a moment to finish. */
async function closeServer(server: Server): Promise<void> {
  const ended = new Promise<void>((resolveClosed) => {
    server.close(() => resolveClosed());
  });
  server.closeIdleConnections();
  await Promise.race([ended, wait(shutdownTimeoutMs)]);
}

function log(message: string): void {
  process.stderr.write(`${message}\n`);
}
