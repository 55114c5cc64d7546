import { findToldHead } from "../audit/audit-head.sql.ts";
import { headBytes, headField, signedHeadText } from "../audit/signed-head.ts";
import { systemScope } from "../postgres/database.ts";
import type { Engine } from "./engine.ts";

/** What happened after the last one is not protected against the database's administrator. */
export const auditHeadEveryMs = 60_000;

/** Signs the head of the audit and writes it to the log, from where it goes to another machine: see 0056. */
export function auditHeadTeller(
  { database, signer, clock }: Pick<Engine, "database" | "signer" | "clock">,
  environment: string,
  log: { info(what: object, message: string): void },
): () => Promise<void> {
  return async () => {
    const told = {
      head: await findToldHead(database.reader(systemScope)),
      at: Math.floor(clock.now().getTime() / 1000),
      keyVersion: signer.newestVersion(),
    };
    const signature = await signer.sign(told.keyVersion, headBytes(environment, told));
    log.info({ [headField]: signedHeadText({ ...told, signature }) }, "The head of the audit.");
  };
}
