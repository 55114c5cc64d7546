import { findPublishedHead } from "../audit/audit-head.sql.ts";
import { signedHeadBytes, auditHeadField, formatSignedHead } from "../audit/signed-head.ts";
import type { Clock } from "../core/clock.ts";
import { systemScope, type Database } from "../postgres/database.ts";
import type { LocalSigner } from "../signing/gateway-keys.ts";

export interface AuditHeadDependencies {
  readonly database: Pick<Database, "reader">;
  readonly signer: Pick<LocalSigner, "newestVersion" | "signText">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Interval of audit heads in milliseconds. Audit rows after the last head are not protected against the database's
 * administrator.
 */
export const auditHeadIntervalMs = 60_000;

/**
 * Signs the audit head and writes it to the log, which is shipped to another machine (docs/decisions/0056). The
 * publisher runs in the process that has the private keys: the signer process if there is one, otherwise `work`. No
 * process can have an audit head signed over the signer's socket.
 */
export function newAuditHeadPublisher(
  { database, signer, clock }: AuditHeadDependencies,
  environment: string,
  log: { info(fields: object, message: string): void },
): () => Promise<void> {
  return async () => {
    const unsignedHead = {
      head: await findPublishedHead(database.reader(systemScope)),
      at: Math.floor(clock.now().getTime() / 1000),
      keyVersion: signer.newestVersion(),
    };
    const signature = await signer.signText(
      unsignedHead.keyVersion,
      signedHeadBytes(environment, unsignedHead),
    );
    log.info(
      { [auditHeadField]: formatSignedHead({ ...unsignedHead, signature }) },
      "The head of the audit.",
    );
  };
}
