import { archiveCommands } from "../operators/archive/archive-commands.ts";
import { approveCommands } from "../operators/audit/approve-commands.ts";
import { auditCommands } from "../operators/audit/audit-commands.ts";
import { benchCommands } from "../operators/bench/bench-commands.ts";
import type { Command, Commands } from "../operators/framework/command.ts";
import { buyerCommands } from "../operators/merchants/buyer-commands.ts";
import { cellCommands } from "../operators/cells/cell-commands.ts";
import { connectorAccountCommands } from "../operators/providers/connector-account-commands.ts";
import { connectorCommands } from "../operators/providers/connector-commands.ts";
import { fxCommands } from "../operators/ledger/fx-commands.ts";
import { feeCommands } from "../operators/ledger/fee-commands.ts";
import { holidayCommands } from "../operators/settlement/holiday-commands.ts";
import { jobCommands } from "../operators/payments/job-commands.ts";
import { keyCommands } from "../operators/providers/key-commands.ts";
import { ledgerCommands } from "../operators/ledger/ledger-commands.ts";
import { merchantCommands } from "../operators/merchants/merchant-commands.ts";
import { breakCommands } from "../operators/reconciliation/break-commands.ts";
import { bankCommands } from "../operators/reconciliation/bank-commands.ts";
import { maintenanceCommands } from "../operators/ledger/maintenance-commands.ts";
import { moveCommands } from "../operators/cells/move-commands.ts";
import { applyDeclaration } from "../operators/framework/operator-options.ts";
import { payoutAccountCommands } from "../operators/settlement/payout-account-commands.ts";
import { payoutCommands } from "../operators/settlement/payout-commands.ts";
import { payoutFileCommands } from "../operators/settlement/payout-file-commands.ts";
import { processCommands } from "./process-commands.ts";
import { releaseCommands } from "./release-commands.ts";
import { triageCommands } from "../operators/payments/triage-commands.ts";
import { universeCommands } from "../operators/merchants/universe-commands.ts";

/**
 * All commands of an operator, for `tollgate` and for `main.ts`. Each loads its modules when it runs (lazy loading), so
 * that `--help` is fast. Help and documents are printed from this table, in its order. Commands that change data are
 * declared with `auditLabel`, and this table adds their options and checks.
 */
export const operatorCommands: Commands = Object.fromEntries(
  Object.entries<Command>({
    ...processCommands,
    ...keyCommands,
    ...releaseCommands,
    ...merchantCommands,
    ...connectorCommands,
    ...connectorAccountCommands,
    ...triageCommands,
    ...jobCommands,
    ...maintenanceCommands,
    ...breakCommands,
    ...bankCommands,
    ...feeCommands,
    ...ledgerCommands,
    ...payoutCommands,
    ...payoutFileCommands,
    ...payoutAccountCommands,
    ...fxCommands,
    ...holidayCommands,
    ...buyerCommands,
    ...archiveCommands,
    ...cellCommands,
    ...moveCommands,
    ...universeCommands,
    ...approveCommands,
    ...auditCommands,
    ...benchCommands,
  }).map(([name, command]) => [name, applyDeclaration(command)]),
);
