import { archiveCommands } from "./archive-commands.ts";
import { approveCommands } from "./approve-commands.ts";
import { auditCommands } from "./audit-commands.ts";
import { benchCommands } from "./bench-commands.ts";
import type { Command, Commands } from "./command.ts";
import { buyerCommands } from "./buyer-commands.ts";
import { cellCommands } from "./cell-commands.ts";
import { connectorCommands } from "./connector-commands.ts";
import { exchangeCommands } from "./exchange-commands.ts";
import { feeCommands } from "./fee-commands.ts";
import { holidayCommands } from "./holiday-commands.ts";
import { jobCommands } from "./job-commands.ts";
import { keyCommands } from "./key-commands.ts";
import { ledgerCommands } from "./ledger-commands.ts";
import { merchantCommands } from "./merchant-commands.ts";
import { breakCommands } from "./break-commands.ts";
import { bankCommands } from "./bank-commands.ts";
import { moneyCommands } from "./money-commands.ts";
import { moveCommands } from "./move-commands.ts";
import { asDeclared } from "./operator.ts";
import { payoutAccountCommands } from "./payout-account-commands.ts";
import { payoutCommands } from "./payout-commands.ts";
import { payoutFileCommands } from "./payout-file-commands.ts";
import { processCommands } from "./process-commands.ts";
import { releaseCommands } from "./release-commands.ts";
import { triageCommands } from "./triage-commands.ts";
import { universeCommands } from "./universe-commands.ts";

/**
 * All commands of an operator, for `tollgate` and for `main.ts`. Each loads what it needs when it is run (lazy loading), so that
 * `--help` does not pay for the server. The help and the documents are printed from this table, in its order. What acts
 * is declared so (`acts`), and all that follows from it is added here.
 */
export const operatorCommands: Commands = Object.fromEntries(
  Object.entries<Command>({
    ...processCommands,
    ...keyCommands,
    ...releaseCommands,
    ...merchantCommands,
    ...connectorCommands,
    ...triageCommands,
    ...jobCommands,
    ...moneyCommands,
    ...breakCommands,
    ...bankCommands,
    ...feeCommands,
    ...ledgerCommands,
    ...payoutCommands,
    ...payoutFileCommands,
    ...payoutAccountCommands,
    ...exchangeCommands,
    ...holidayCommands,
    ...buyerCommands,
    ...archiveCommands,
    ...cellCommands,
    ...moveCommands,
    ...universeCommands,
    ...approveCommands,
    ...auditCommands,
    ...benchCommands,
  }).map(([name, command]) => [name, asDeclared(command)]),
);
