import { readFile } from "node:fs/promises";
import { pino } from "pino";
import { openDatabase, systemScope } from "../postgres/database.ts";
import { runPreflight } from "../postgres/preflight.ts";
import type { ExternalKeyStore } from "../signing/external-key-store.ts";
import { serveSigner } from "../signing/serve-signer.ts";
import { openVaultTransit } from "../signing/vault-transit.ts";
import { liveProblems } from "../settings/live-rules.ts";
import { openLocalSigning } from "./open-signing.ts";
import { startTimers } from "./process-core.ts";
import type { SigningSettings, Settings } from "../settings/settings.ts";
import { auditHeadIntervalMs, newAuditHeadPublisher } from "./publish-audit-head.ts";

export interface SignerProcess {
  stop(): Promise<void>;
}

/** Number of database connections: one reads keys, and the other is a reserve if the first breaks. */
const connectionsMax = 2;
const refreshIntervalMs = 10_000;

/**
 * The signer has the private keys, signs messages for `serve` and `work` of this machine over a Unix socket, and logs
 * the audit head.
 */
export async function startSigner(settings: Settings): Promise<SignerProcess> {
  const { environment, databaseUrl: url, logLevel } = settings;
  const { socket: path } = settings.signing;
  const log = pino({ level: logLevel, base: null });
  const onFault = (cause: unknown): void => log.error({ err: cause }, "A fault of the signer.");
  const problems = [...liveProblems(settings, "signer"), ...(await runPreflight(url, environment))];
  if (problems.length > 0) throw new Error(`This process must not run here:\n  ${problems.join("\n  ")}`);
  const database = openDatabase({ url, applicationName: "tollgate signer", connectionsMax, onFault });
  await database.waitForStandby();
  const holder = await openHolder(settings.signing);
  const tx = database.reader(systemScope);
  const { signer, derivedKeys } = await openLocalSigning({ settings, tx, holder });
  const server = await serveSigner({ path, environment, signer, derivedKeys, onFault });
  log.info({ environment, versions: [...signer.publicKeys().keys()] }, "tollgate signer starts.");
  const clock = { now: () => new Date() };
  const publishAuditHead = newAuditHeadPublisher({ database, signer, clock }, environment, log);
  await publishAuditHead().catch(onFault);
  const stopTimers = startTimers(
    [
      [refreshIntervalMs, () => signer.refresh()],
      [auditHeadIntervalMs, publishAuditHead],
    ],
    onFault,
  );
  return {
    async stop() {
      stopTimers();
      await server.close();
      await database.close();
    },
  };
}

/** Opens the holder of keys that are not in the database: an HSM or Vault. Undefined unless the settings name one. */
async function openHolder({ pkcs11, vault }: SigningSettings): Promise<ExternalKeyStore | undefined> {
  if (pkcs11) {
    const { openPkcs11 } = await import("../signing/pkcs11.ts");
    const pin = (await readFile(pkcs11.pinFile, "utf8")).trim();
    return openPkcs11({ ...pkcs11, pin });
  }
  return vault && openVaultTransit(vault);
}
