import { isTest, server, withoutComments, type Files, type SourceFile } from "./tidy.ts";

/**
 * Functions that read rows of all merchants and also see the copies that a moved merchant leaves in its old cell, and why that is right.
 * The key is the path below server/src and the function's name.
 */
const mayReadCopies: Readonly<Record<string, string>> = {
  "archive/archive.sql.ts findFirstMonth":
    "only a lower bound: months without payments of this cell are empty",
  "cells/home.sql.ts listUsedBuckets":
    "a cell that is set up must own the buckets of merchants that left, too",
  "commands/move-end.ts openSource": "reads one merchant, which is moved, by its id",
  "jobs/waiting-job.sql.ts listWaitingJobs": "jobs are deleted in the old cell when a merchant leaves",
  "ledger/exchange.sql.ts listPositions": "what was exchanged in this cell is hedged by deals of this cell",
  "ledger/fee-rule.sql.ts listFeeRules": "shows settings, and changes nothing",
  "merchants/client.sql.ts countClientsByGatewayKey":
    "copies refer to the key: it cannot be deleted before them",
  "merchants/client.sql.ts listClients": "lists merchants that left, so that an operator finds them",
  "notifications/feed.sql.ts moveFeedsAhead":
    "a merchant that comes back has a position that is ahead as well",
  "notifications/lane.sql.ts listWaitingLanes": "jobs are deleted in the old cell when a merchant leaves",
  "open-records/open-record.sql.ts listOpenByJobs": "jobs are deleted in the old cell when a merchant leaves",
  "payments/timeline.sql.ts findPaymentByReference":
    "finds the merchant; its timeline is then read behind the fence",
  "payments/timeline.sql.ts findPaymentOf": "finds the merchant; its timeline is then read behind the fence",
  "payments/timeline.sql.ts findToldSubject":
    "finds the merchant; its timeline is then read behind the fence",
  "payments/timeline.sql.ts listPaymentsByRequest":
    "finds the merchant; its timeline is then read behind the fence",
  "reconciliation/compare.sql.ts lockBooks":
    "`narrowToCell` replaces the tables with views of this cell's merchants",
  "reconciliation/wallet-cost.sql.ts listToldByWallets":
    "wallets' files are the fleet's; payments only add their method",
  "settlement/bank-account.sql.ts listAccountsOf":
    "by merchant and account, of payouts that the caller has selected",
  "settlement/payout-file.sql.ts listLines": "a file's bytes are compared with all of its lines",
  "settlement/payout-file.sql.ts listShownLines": "the approver sees all lines of a file",
  "wallets/connector.sql.ts listConnectorStates": "jobs are deleted in the old cell when a merchant leaves",
};

/** Functions that switch row-level security to all merchants and do not restrict their statement to the merchants of this cell. */
export function readsCopies(files: Files): string[] {
  return files
    .filter(({ path }) => path.startsWith(server) && path.endsWith(".ts") && !isTest(path))
    .flatMap((file) =>
      functionsOf(file)
        .filter(({ text }) => /set_config\('app\.oversight', 'on'/.test(text))
        .filter(({ text }) => !/\$\{livesHere\}|\$\{away\}|\bclient_homes\b/.test(text))
        .filter(({ name }) => !Object.hasOwn(mayReadCopies, `${file.path.slice(server.length)} ${name}`))
        .map(
          ({ name }) =>
            `${file.path}: ${name} sees merchants of other cells; add livesHere, or a reason to the list`,
        ),
    );
}

/** The text of each function, from its first line up to the next one's. */
function functionsOf({ text }: SourceFile): readonly { readonly name: string; readonly text: string }[] {
  const parts = withoutComments(text).split(/^(?=(?:export )?(?:async )?function\b)/m);
  return parts.map((part) => ({
    name: /^(?:export )?(?:async )?function\*? (\w+)/.exec(part)?.[1] ?? "",
    text: part,
  }));
}
