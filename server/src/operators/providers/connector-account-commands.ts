import type { Commands } from "../framework/command.ts";
import { jsonOption, operatorOf, operatorOptions, ownerSettingsHelp } from "../framework/operator-options.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";
import { printResult } from "../framework/print-result.ts";

const importAccounts = (): Promise<typeof import("./provider-accounts.ts")> =>
  import("./provider-accounts.ts");

const listMax = 1_000;

/** Commands for merchants' accounts at payment providers. */
export const connectorAccountCommands: Commands = {
  "connector account set": {
    requiredRole: "operator",
    auditLabel: { english: "Set a merchant's account at a provider", chinese: "设置商户在支付服务商的账户" },
    requiresApproval: true,
    positionals: ["CONNECTOR", "CLIENT", "ACCOUNT"],
    summary: "Set the account of a merchant at a provider, for new orders",
    description:
      "ACCOUNT is the provider's reference of the account, never a key: secrets stay in the connector. Orders " +
      "that exist keep their account. All processes apply the change within a second. The connector must use " +
      `accounts: \`connector set --accounts optional\` or \`required\`. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate connector account set stripe 5J5Y8Z4G3E2B1A0C acct_1A2b3C --reason 'Contract 4711'"],
    run: async (args) => {
      const { setProviderAccount } = await importAccounts();
      const [connector = "", clientId = "", account = ""] = args.positionals;
      const set = await setProviderAccount(operatorOf(args), { connector, clientId, account });
      printResult(args, set, "set");
    },
  },
  "connector account list": {
    requiredRole: "support",
    positionals: ["[CONNECTOR]"],
    summary: "List merchants' accounts at payment providers",
    description: ownerSettingsHelp,
    options: {
      "client-id": { value: "ID", summary: "Only accounts of this merchant" },
      limit: { value: "N", summary: "Maximum number of rows (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate connector account list stripe",
      "tollgate connector account list --client-id 5J5Y8Z4G3E2B1A0C",
    ],
    run: async (args) => {
      const { findProviderAccounts, providerAccountTable } = await importAccounts();
      const [connector] = args.positionals;
      const limit = parseWholeNumber(args, "limit", [1, listMax]) ?? 100;
      const filter = { connector, clientId: args.value("client-id"), limit };
      const accounts = await findProviderAccounts(operatorOf(args), filter);
      printResult(args, accounts, providerAccountTable(accounts));
    },
  },
  "connector account remove": {
    requiredRole: "operator",
    auditLabel: {
      english: "Removed a merchant's account at a provider",
      chinese: "移除商户在支付服务商的账户",
    },
    requiresApproval: true,
    positionals: ["CONNECTOR", "CLIENT"],
    summary: "Remove the account of a merchant at a provider, for new orders",
    description:
      "Orders that exist keep their account. A connector that requires accounts takes no new payments of the " +
      `merchant. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate connector account remove stripe 5J5Y8Z4G3E2B1A0C --reason 'Contract ended'"],
    run: async (args) => {
      const { removeProviderAccount } = await importAccounts();
      const [connector = "", clientId = ""] = args.positionals;
      const removed = await removeProviderAccount(operatorOf(args), { connector, clientId });
      printResult(args, removed, "removed");
    },
  },
};
