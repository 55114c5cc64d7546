import { isTest, server, withoutComments, type Files, type SourceFile } from "./tidy.ts";

/**
 * Functions that read rows of all merchants, including the copies that a moved merchant leaves in its old cell, with
 * the reason why that is correct. The key is the path below server/src and the function's name.
 */
const allowedReaders: Readonly<Record<string, string>> = {
  "archive/archive.sql.ts findFirstMonth":
    "only a lower bound: months without payments in this cell are empty",
  "cells/home.sql.ts listUsedBuckets":
    "a cell that is set up must also own the buckets of merchants that left",
  "moves/move-connection.workflow.ts openSource": "reads one merchant by id, which is being moved",
  "jobs/waiting-job.sql.ts listWaitingJobs": "jobs are deleted in the old cell when a merchant leaves",
  "ledger/currency-conversion.sql.ts listPositions":
    "FX positions of this cell are closed by deals of this cell",
  "ledger/fee-rule.sql.ts listFeeRules": "displays settings, and changes nothing",
  "merchants/client.sql.ts countClientsByGatewayKey":
    "copies reference the key, so it cannot be deleted before them",
  "merchants/client.sql.ts listClients": "lists merchants that left, so that an operator finds them",
  "notifications/feed.sql.ts advanceFeedHeads": "the position of a merchant that returns is ahead as well",
  "notifications/delivery-queue.sql.ts listWaitingQueues":
    "jobs are deleted in the old cell when a merchant leaves",
  "open-records/open-record.sql.ts listOpenRecordsByJobs":
    "jobs are deleted in the old cell when a merchant leaves",
  "payments/timeline.sql.ts findPaymentByReference":
    "finds the merchant; its timeline is then read behind the fence",
  "payments/timeline.sql.ts findPaymentByRecordId":
    "finds the merchant; its timeline is then read behind the fence",
  "payments/timeline.sql.ts findWebhookSubject":
    "finds the merchant; its timeline is then read behind the fence",
  "payments/timeline.sql.ts listPaymentsByRequest":
    "finds the merchant; its timeline is then read behind the fence",
  "reconciliation/compare.sql.ts lockLedger":
    "`narrowToCell` replaces the tables with views of this cell's merchants",
  "reconciliation/provider-cost.sql.ts listReportedByProviders":
    "settlement files are the fleet's; payments only add their method",
  "settlement/payouts/bank-account.sql.ts findPayoutAccounts":
    "by merchant and account, for payouts that the caller has selected",
  "settlement/payouts/payout-file.sql.ts listFileLines": "a file's bytes are compared with all of its lines",
  "settlement/payouts/payout-file.sql.ts listReviewLines": "the approver sees all lines of a file",
  "providers/provider-account.sql.ts listProviderAccountsAt": "displays settings, and changes nothing",
  "providers/connector.sql.ts listConnectorStates": "jobs are deleted in the old cell when a merchant leaves",
};

/**
 * Functions that disable row-level security per merchant and do not restrict their statement to the merchants of this
 * cell.
 */
export function findReadersOfCopies(files: Files): string[] {
  return files
    .filter(({ path }) => path.startsWith(server) && path.endsWith(".ts") && !isTest(path))
    .flatMap((file) =>
      functionsOf(file)
        .filter(({ text }) => /set_config\('app\.oversight', 'on'/.test(text))
        .filter(({ text }) => !/\$\{isHomeHere\}|\$\{departedClients\}|\bclient_homes\b/.test(text))
        .filter(({ name }) => !Object.hasOwn(allowedReaders, `${file.path.slice(server.length)} ${name}`))
        .map(
          ({ name }) =>
            `${file.path}: ${name} reads merchants of other cells; add isHomeHere, or a reason to the list`,
        ),
    );
}

/** The text of each function, from its first line to the line before the next one. */
function functionsOf({ text }: SourceFile): readonly { readonly name: string; readonly text: string }[] {
  const parts = withoutComments(text).split(/^(?=(?:export )?(?:async )?function\b)/m);
  return parts.map((part) => ({
    name: /^(?:export )?(?:async )?function\*? (\w+)/.exec(part)?.[1] ?? "",
    text: part,
  }));
}
