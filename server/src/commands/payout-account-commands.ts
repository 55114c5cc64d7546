import type { Commands, Given } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const accountOptions = {
  currency: { value: "CODE", does: "of which currency", isRequired: true },
  iban: { value: "IBAN", does: "its number, with or without spaces", isRequired: true },
  holder: { value: "TEXT", does: "whose it is, as the bank writes it", isRequired: true },
} as const;

const accounts = (): Promise<typeof import("./payout-account.ts")> => import("./payout-account.ts");

/** Commands about where payouts go, and where they come from. */
export const payoutAccountCommands: Commands = {
  "payout account set": {
    needs: "finance",
    acts: true,
    takes: ["CLIENT"],
    does: "ask for another bank account of a merchant's; somebody else approves it",
    about:
      "The account is paid to 72 hours after its approval. Only the first account of a merchant, in any currency, has no wait;\n" +
      "an ended account counts. A wait below 72 hours needs the owner's login. The merchant sees the request in its own audit.\n" +
      ownersSettings,
    options: {
      ...accountOptions,
      bic: { value: "BIC", does: "of its bank, where that is needed" },
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
      const { askForAccount } = await accounts();
      const [clientId = ""] = given.words;
      const account = await askForAccount(operatorOf(given), clientId, {
        ...fieldsOf(given),
        waitHours: wholeNumber(given, "wait-hours", [0, 720]),
      });
      const approve = `tollgate payout account approve ${clientId} ${account.accountId}`;
      show(
        given,
        account,
        `asked for, as ${account.accountId}. Somebody else compares it, and runs\n${approve}`,
      );
    },
  },
  "payout account approve": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    takes: ["CLIENT", "ACCOUNT"],
    does: "approve a bank account that somebody else has asked for",
    about: `In live by another login than the one that asked. The account before is ended. ${ownersSettings}`,
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
    acts: true,
    takes: ["CLIENT", "ACCOUNT"],
    does: "pay to a bank account no more, or take back what was asked for",
    about: `What is due waits until there is another. ${ownersSettings}`,
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
    does: "merchants' bank accounts, and who approved them",
    about: `IBANs are shown in part; in full only to finance, with --full. ${ownersSettings}`,
    options: { full: { does: "the whole IBAN; for finance" }, ...operatorOptions, ...jsonOption },
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
    acts: true,
    takesTwo: true,
    takes: ["BANK"],
    does: "our own account at a bank, from which payouts go; one for each currency",
    about: ownersSettings,
    options: {
      ...accountOptions,
      bic: { value: "BIC", does: "of the bank", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout bank set first --currency EUR --iban 'FR14 2004 1010 0505 0001 3M02 606' --bic BNPAFRPP --holder 'Gateway SA'",
    ],
    run: async (given) => {
      const { setOwnAccount } = await import("./payout-terms.ts");
      const account = await setOwnAccount(operatorOf(given), {
        bank: given.words[0] ?? "",
        ...fieldsOf(given),
      });
      show(given, account, "set");
    },
  },
  "payout bank list": {
    needs: "finance",
    does: "our own accounts",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout bank list"],
    run: async (given) => {
      const { findOwnAccounts, ownAccountTable } = await import("./payout-terms.ts");
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
