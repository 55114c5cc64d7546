import type { Commands, Given } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const accountOptions = {
  currency: { value: "CODE", does: "Currency of the account", isRequired: true },
  iban: { value: "IBAN", does: "IBAN, with or without spaces", isRequired: true },
  holder: { value: "TEXT", does: "Account holder, as the bank writes it", isRequired: true },
} as const;

const accounts = (): Promise<typeof import("../../settlement/payouts/payout-accounts.workflow.ts")> =>
  import("../../settlement/payouts/payout-accounts.workflow.ts");

/** Commands for merchants' bank accounts, and for the operator's own accounts. */
export const payoutAccountCommands: Commands = {
  "payout account set": {
    needs: "finance",
    acts: { english: "Requested a bank account", chinese: "申请银行账户" },
    takes: ["CLIENT"],
    does: "Request a bank account for a merchant; another person approves it",
    about:
      "The first payout to the account can be 72 hours after its approval. Only a merchant's first account, in " +
      "any currency, needs no wait; ended accounts count. A wait below 72 hours needs the owner's login. The " +
      "merchant sees the request in its audit log.\n" +
      ownersSettings,
    options: {
      ...accountOptions,
      bic: { value: "BIC", does: "BIC of the bank, if required" },
      "wait-hours": {
        value: "N",
        does: "Hours from approval to the first payout, 0 to 720 (default 72; 0 for the first)",
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout account set 5J5Y8Z4G3E2B1A0C --currency EUR --iban 'DE89 3704 0044 0532 0130 00' --holder 'Coffee GmbH'",
    ],
    run: async (given) => {
      const { requestAccount } = await accounts();
      const [clientId = ""] = given.words;
      const account = await requestAccount(operatorOf(given), clientId, {
        ...fieldsOf(given),
        waitHours: wholeNumber(given, "wait-hours", [0, 720]),
      });
      const approve = `tollgate payout account approve ${clientId} ${account.accountId}`;
      show(
        given,
        account,
        `Requested as ${account.accountId}. Another person verifies it and runs\n${approve}`,
      );
    },
  },
  "payout account approve": {
    needs: "finance",
    acts: { english: "Approved a bank account", chinese: "批准银行账户" },
    requiresApproval: true,
    takes: ["CLIENT", "ACCOUNT"],
    does: "Approve a requested bank account",
    about: `In live the approver needs another login than the requester. The previous account ends. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: [
      "tollgate payout account approve 5J5Y8Z4G3E2B1A0C 20261117090000000000714000000000000 --reason 'Called them back'",
    ],
    run: async (given) => {
      const { approveAccount, accountTable } = await accounts();
      const [clientId = "", accountId = ""] = given.words;
      const account = await approveAccount(operatorOf(given), clientId, accountId);
      show(given, account, accountTable([account], new Date()));
    },
  },
  "payout account end": {
    needs: "finance",
    acts: { english: "Ended a bank account", chinese: "终止银行账户" },
    takes: ["CLIENT", "ACCOUNT"],
    does: "End a bank account, or withdraw its request",
    about: `Due payouts wait until another account is usable. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout account end 5J5Y8Z4G3E2B1A0C 20261117090000000000714000000000000"],
    run: async (given) => {
      const { endAccount } = await accounts();
      const [clientId = "", accountId = ""] = given.words;
      const account = await endAccount(operatorOf(given), clientId, accountId);
      show(given, account, "ended");
    },
  },
  "payout account list": {
    needs: "support",
    takes: ["[CLIENT]"],
    does: "List merchants' bank accounts and their approvers",
    about: `IBANs are masked. --full shows them in full and needs the role finance. ${ownersSettings}`,
    options: { full: { does: "Show full IBANs (finance only)" }, ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout account list"],
    run: async (given) => {
      const { findAccounts, accountTable } = await accounts();
      const asked = { clientId: given.words[0], inFull: given.has("full") };
      const found = await findAccounts(operatorOf(given), asked);
      show(given, found, accountTable(found, new Date()));
    },
  },
  "payout bank set": {
    needs: "finance",
    acts: { english: "Set our bank account for payouts", chinese: "设置我们的打款银行账户" },
    requiresApproval: true,
    takes: ["BANK"],
    does: "Set our debtor account for payouts, one for each bank and currency",
    about: ownersSettings,
    options: {
      ...accountOptions,
      bic: { value: "BIC", does: "BIC of the bank", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout bank set first --currency EUR --iban 'FR14 2004 1010 0505 0001 3M02 606' --bic BNPAFRPP --holder 'Gateway SA'",
    ],
    run: async (given) => {
      const { setOwnAccount } = await import("../../settlement/settlement-terms.workflow.ts");
      const account = await setOwnAccount(operatorOf(given), {
        bank: given.words[0] ?? "",
        ...fieldsOf(given),
      });
      show(given, account, "set");
    },
  },
  "payout bank list": {
    needs: "finance",
    does: "List our debtor accounts",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout bank list"],
    run: async (given) => {
      const { findOwnAccounts, ownAccountTable } =
        await import("../../settlement/settlement-terms.workflow.ts");
      const found = await findOwnAccounts(operatorOf(given));
      show(given, found, ownAccountTable(found));
    },
  },
};

function fieldsOf(given: Given): {
  readonly currency: string;
  readonly iban: string;
  readonly holder: string;
  readonly bic: string | undefined;
} {
  return {
    currency: required(given, "currency").toUpperCase(),
    iban: required(given, "iban"),
    holder: required(given, "holder"),
    bic: given.value("bic")?.toUpperCase(),
  };
}
