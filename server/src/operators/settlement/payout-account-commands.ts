import type { Commands, CommandArguments } from "../framework/command.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const accountOptions = {
  currency: { value: "CODE", summary: "Currency of the account", isRequired: true },
  iban: { value: "IBAN", summary: "IBAN, with or without spaces", isRequired: true },
  holder: { value: "TEXT", summary: "Account holder, as the bank writes it", isRequired: true },
} as const;

const importPayoutAccounts = (): Promise<
  typeof import("../../settlement/payouts/payout-accounts.workflow.ts")
> => import("../../settlement/payouts/payout-accounts.workflow.ts");

/** Commands for merchants' bank accounts, and for the operator's own accounts. */
export const payoutAccountCommands: Commands = {
  "payout account set": {
    requiredRole: "finance",
    auditLabel: { english: "Requested a bank account", chinese: "申请银行账户" },
    positionals: ["CLIENT"],
    summary: "Request a bank account for a merchant; another person approves it",
    description:
      "The first payout to the account can be 72 hours after its approval. Only a merchant's first account, in " +
      "any currency, needs no wait; ended accounts count. A wait below 72 hours needs the owner's login. The " +
      "merchant sees the request in its audit log.\n" +
      ownerSettingsHelp,
    options: {
      ...accountOptions,
      bic: { value: "BIC", summary: "BIC of the bank, if required" },
      "wait-hours": {
        value: "N",
        summary: "Hours from approval to the first payout, 0 to 720 (default 72; 0 for the first)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout account set 5J5Y8Z4G3E2B1A0C --currency EUR --iban 'DE89 3704 0044 0532 0130 00' --holder 'Coffee GmbH'",
    ],
    run: async (args) => {
      const { requestAccount } = await importPayoutAccounts();
      const [clientId = ""] = args.positionals;
      const account = await requestAccount(operatorOf(args), clientId, {
        ...readAccountFields(args),
        waitHours: parseWholeNumber(args, "wait-hours", [0, 720]),
      });
      const approve = `tollgate payout account approve ${clientId} ${account.accountId}`;
      printResult(
        args,
        account,
        `Requested as ${account.accountId}. Another person verifies it and runs\n${approve}`,
      );
    },
  },
  "payout account approve": {
    requiredRole: "finance",
    auditLabel: { english: "Approved a bank account", chinese: "批准银行账户" },
    requiresApproval: true,
    positionals: ["CLIENT", "ACCOUNT"],
    summary: "Approve a requested bank account",
    description: `In live the approver needs another login than the requester. The previous account ends. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: [
      "tollgate payout account approve 5J5Y8Z4G3E2B1A0C 20261117090000000000714000000000000 --reason 'Called them back'",
    ],
    run: async (args) => {
      const { approveAccount, accountTable } = await importPayoutAccounts();
      const [clientId = "", accountId = ""] = args.positionals;
      const account = await approveAccount(operatorOf(args), clientId, accountId);
      printResult(args, account, accountTable([account], new Date()));
    },
  },
  "payout account end": {
    requiredRole: "finance",
    auditLabel: { english: "Ended a bank account", chinese: "终止银行账户" },
    positionals: ["CLIENT", "ACCOUNT"],
    summary: "End a bank account, or withdraw its request",
    description: `Due payouts wait until another account is usable. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout account end 5J5Y8Z4G3E2B1A0C 20261117090000000000714000000000000"],
    run: async (args) => {
      const { endAccount } = await importPayoutAccounts();
      const [clientId = "", accountId = ""] = args.positionals;
      const account = await endAccount(operatorOf(args), clientId, accountId);
      printResult(args, account, "ended");
    },
  },
  "payout account list": {
    requiredRole: "support",
    positionals: ["[CLIENT]"],
    summary: "List merchants' bank accounts and their approvers",
    description: `IBANs are masked. --full shows them in full and needs the role finance. ${ownerSettingsHelp}`,
    options: { full: { summary: "Show full IBANs (finance only)" }, ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout account list"],
    run: async (args) => {
      const { findAccounts, accountTable } = await importPayoutAccounts();
      const filter = { clientId: args.positionals[0], inFull: args.has("full") };
      const found = await findAccounts(operatorOf(args), filter);
      printResult(args, found, accountTable(found, new Date()));
    },
  },
  "payout bank set": {
    requiredRole: "finance",
    auditLabel: { english: "Set our bank account for payouts", chinese: "设置我们的打款银行账户" },
    requiresApproval: true,
    positionals: ["BANK"],
    summary: "Set our debtor account for payouts, one for each bank and currency",
    description: ownerSettingsHelp,
    options: {
      ...accountOptions,
      bic: { value: "BIC", summary: "BIC of the bank", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout bank set first --currency EUR --iban 'FR14 2004 1010 0505 0001 3M02 606' --bic BNPAFRPP --holder 'Gateway SA'",
    ],
    run: async (args) => {
      const { setDebtorAccount } = await import("../../settlement/settlement-terms.workflow.ts");
      const account = await setDebtorAccount(operatorOf(args), {
        bank: args.positionals[0] ?? "",
        ...readAccountFields(args),
      });
      printResult(args, account, "set");
    },
  },
  "payout bank list": {
    requiredRole: "finance",
    summary: "List our debtor accounts",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout bank list"],
    run: async (args) => {
      const { findDebtorAccounts, debtorAccountTable } =
        await import("../../settlement/settlement-terms.workflow.ts");
      const found = await findDebtorAccounts(operatorOf(args));
      printResult(args, found, debtorAccountTable(found));
    },
  },
};

function readAccountFields(args: CommandArguments): {
  readonly currency: string;
  readonly iban: string;
  readonly holder: string;
  readonly bic: string | undefined;
} {
  return {
    currency: requiredOption(args, "currency").toUpperCase(),
    iban: requiredOption(args, "iban"),
    holder: requiredOption(args, "holder"),
    bic: args.value("bic")?.toUpperCase(),
  };
}
