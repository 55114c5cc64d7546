import { notificationKinds } from "../../notifications/notification-kinds.ts";
import type { KeyFiles } from "./merchant.ts";
import type { NotifyAddress } from "./merchant-settings.ts";
import type { Commands, CommandArguments, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  parseList,
  omitUndefined,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
  requiredNumber,
  subjectOf,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const keyOptions = {
  "public-key": { value: "FILE", summary: "PEM file with the merchant's public key", isRequired: true },
  proof: { value: "FILE", summary: "Signature that proves possession of the private key (required in live)" },
} as const satisfies Options;

const merchantDeclaration = {
  positionals: ["[CLIENT_ID]"],
  options: {
    "client-id": { value: "CLIENT_ID", summary: "Same as the CLIENT_ID argument" },
    ...operatorOptions,
    ...jsonOption,
  },
} as const;

const exampleClientId = "SANDBOX_7H2KQ9XW3M5T8RBC";
const versions = [0, 2 ** 31 - 1] as const;
const importMerchant = (): Promise<typeof import("./merchant.ts")> => import("./merchant.ts");
const importMerchantSettings = (): Promise<typeof import("./merchant-settings.ts")> =>
  import("./merchant-settings.ts");

/** Commands for merchants: access, keys, limits, fees and addresses. */
export const merchantCommands: Commands = {
  "merchant add": {
    requiredRole: "operator",
    auditLabel: { english: "Registered the merchant", chinese: "设置商户" },
    summary: "Register a merchant's system and print its client id",
    description:
      "On a terminal it also prints the next steps. Otherwise standard output contains only the client id, and " +
      `standard error the gateway's public key. ${ownerSettingsHelp}`,
    options: {
      ...keyOptions,
      name: { value: "NAME", summary: `Name that buyers see (default "A merchant")` },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate merchant add --name 'Coffee Lab' --public-key public.pem",
      "tollgate merchant add --name 'Coffee Lab' --public-key public.pem --proof proof.bin --environment live",
    ],
    run: addMerchant,
  },
  "merchant list": {
    requiredRole: "support",
    summary: "List merchants with status and limits",
    description: ownerSettingsHelp,
    options: {
      status: {
        value: "STATUS",
        summary: "Only ACTIVE or SUSPENDED merchants",
        oneOf: ["ACTIVE", "SUSPENDED"],
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate merchant list", "tollgate merchant list --status SUSPENDED --json"],
    run: async (args) => {
      const { listMerchants, merchantTable } = await importMerchantSettings();
      const status = args.value("status");
      const all = await listMerchants(operatorOf(args));
      const shownMerchants = all.filter((each) => status === undefined || each.status === status);
      printResult(args, shownMerchants, merchantTable(shownMerchants));
    },
  },
  "merchant show": {
    requiredRole: "support",
    ...merchantDeclaration,
    summary: "Print the settings of a merchant",
    description: ownerSettingsHelp,
    examples: [
      `tollgate merchant show ${exampleClientId}`,
      `tollgate merchant show ${exampleClientId} --json`,
    ],
    run: async (args) => {
      const { findMerchant, merchantText } = await importMerchantSettings();
      const merchant = await findMerchant(operatorOf(args), subjectOf(args, "client-id"));
      printResult(args, merchant, merchantText(merchant));
    },
  },
  "merchant set": {
    requiredRole: "operator",
    auditLabel: { english: "Changed limits, fee or name", chinese: "更改限额、费率或名称" },
    requiresApproval: true,
    ...merchantDeclaration,
    summary: "Change a merchant's name, limits, fee, apps or webhook addresses",
    description:
      "Options that are not given stay unchanged. All processes apply the change within a second. A fee " +
      "applies to later payments.\n" +
      ownerSettingsHelp,
    options: {
      name: { value: "NAME", summary: "Name that buyers see" },
      rate: { value: "N", summary: "API requests per second, per operation and process" },
      burst: { value: "N", summary: "Burst: additional requests at once" },
      "time-tolerance": {
        value: "SECONDS",
        summary: "Tolerance of the request time in seconds, 1 to 3600 (clock skew)",
      },
      fee: { value: "N", summary: "Fee in basis points, 0 to 2000: 290 is 2.9 %" },
      "link-schemes": {
        value: "A,B",
        summary: "URL schemes of its apps for return addresses; empty for none",
        mayBeEmpty: true,
      },
      notify: {
        value: "KIND=URL",
        summary: "Default webhook address per kind; nothing after = removes it",
      },
      ...merchantDeclaration.options,
    },
    examples: [
      `tollgate merchant set ${exampleClientId} --rate 500 --burst 1000`,
      `tollgate merchant set ${exampleClientId} --name 'Coffee Lab Harbour' --fee 290`,
      `tollgate merchant set ${exampleClientId} --notify notifyRefund=https://shop.example/refunds`,
    ],
    run: setMerchant,
  },
  "merchant suspend": {
    requiredRole: "operator",
    auditLabel: { english: "Suspended the merchant", chinese: "暂停商户" },
    requiresApproval: true,
    ...merchantDeclaration,
    summary: "Reject a merchant's API requests; payments in progress complete",
    description:
      "Its requests are rejected with INVALID_CLIENT_STATUS by all processes within a second. Payments, " +
      `refunds and webhooks in progress complete, so that buyers and providers get a final result. ${ownerSettingsHelp}`,
    examples: [`tollgate merchant suspend ${exampleClientId}`],
    run: (args) => setStatus(args, "SUSPENDED"),
  },
  "merchant resume": {
    requiredRole: "operator",
    auditLabel: { english: "Resumed the merchant", chinese: "恢复商户" },
    requiresApproval: true,
    ...merchantDeclaration,
    summary: "Accept a suspended merchant's API requests again",
    description: ownerSettingsHelp,
    examples: [`tollgate merchant resume ${exampleClientId}`],
    run: (args) => setStatus(args, "ACTIVE"),
  },
  "merchant key add": {
    requiredRole: "operator",
    auditLabel: { english: "Added a key", chinese: "添加密钥" },
    requiresApproval: true,
    ...merchantDeclaration,
    summary: "Register another public key of a merchant",
    description: ownerSettingsHelp,
    options: { ...keyOptions, ...merchantDeclaration.options },
    examples: [`tollgate merchant key add ${exampleClientId} --public-key next.pem`],
    run: async (args) => {
      const { addMerchantKey } = await importMerchant();
      const clientId = subjectOf(args, "client-id");
      const keyVersion = await addMerchantKey(operatorOf(args), clientId, keyFiles(args));
      printResult(args, { clientId, keyVersion }, `key version ${keyVersion}`);
    },
  },
  "merchant key revoke": {
    requiredRole: "operator",
    auditLabel: { english: "Revoked a key", chinese: "吊销密钥" },
    requiresApproval: true,
    ...merchantDeclaration,
    summary: "Revoke a merchant's key permanently",
    description: `\`tollgate merchant keys\` shows which keys are unused and can be revoked. ${ownerSettingsHelp}`,
    options: {
      version: { value: "N", summary: "Version of the merchant's key", isRequired: true },
      ...merchantDeclaration.options,
    },
    examples: [`tollgate merchant key revoke ${exampleClientId} --version 1`],
    run: async (args) => {
      const { revokeMerchantKey } = await importMerchant();
      const [clientId, version] = [subjectOf(args, "client-id"), requiredNumber(args, "version", versions)];
      await revokeMerchantKey(operatorOf(args), clientId, version);
      printResult(args, { clientId, revokedVersion: version }, "revoked");
    },
  },
  "merchant keys": {
    requiredRole: "support",
    ...merchantDeclaration,
    summary: "List a merchant's keys with their use",
    description: ownerSettingsHelp,
    examples: [`tollgate merchant keys ${exampleClientId}`],
    run: async (args) => {
      const { findMerchantKeys, merchantKeysJson, merchantKeysTable } = await import("./merchant-keys.ts");
      const report = await findMerchantKeys(operatorOf(args), subjectOf(args, "client-id"));
      printResult(args, merchantKeysJson(report), merchantKeysTable(report));
    },
  },
  "merchant gateway-key": {
    requiredRole: "operator",
    auditLabel: { english: "Pinned to another gateway key", chinese: "改用我们的另一个密钥" },
    requiresApproval: true,
    ...merchantDeclaration,
    summary: "Pin a merchant to a gateway key version",
    description:
      "Responses and webhooks to the merchant are signed with this key. The merchant must have its public key " +
      `already. ${ownerSettingsHelp}`,
    options: {
      version: { value: "N", summary: "Version of the gateway key", isRequired: true },
      ...merchantDeclaration.options,
    },
    examples: [`tollgate merchant gateway-key ${exampleClientId} --version 2`],
    run: async (args) => {
      const { pinMerchantGatewayKey } = await importMerchant();
      const [clientId, version] = [subjectOf(args, "client-id"), requiredNumber(args, "version", versions)];
      await pinMerchantGatewayKey(operatorOf(args), clientId, version);
      printResult(args, { clientId, gatewayKeyVersion: version }, "moved");
    },
  },
  "merchant link-schemes": {
    requiredRole: "operator",
    auditLabel: { english: "Changed the apps", chinese: "更改应用" },
    ...merchantDeclaration,
    summary: "Set the URL schemes of a merchant's apps for return addresses",
    description: `Same as \`merchant set --link-schemes\`. ${ownerSettingsHelp}`,
    options: {
      schemes: { value: "A,B", summary: "Schemes, separated by commas (default none)", mayBeEmpty: true },
      ...merchantDeclaration.options,
    },
    examples: [`tollgate merchant link-schemes ${exampleClientId} --schemes shopapp`],
    run: async (args) => {
      const { setLinkSchemes } = await importMerchant();
      const [clientId, linkSchemes] = [subjectOf(args, "client-id"), parseList(args, "schemes") ?? []];
      await setLinkSchemes(operatorOf(args), clientId, linkSchemes);
      printResult(args, { clientId, linkSchemes }, "set");
    },
  },
};

/**
 * Registers a merchant. Prints the client id for scripts and the public key on standard error; on a terminal, prints
 * the next steps.
 */
async function addMerchant(args: CommandArguments): Promise<void> {
  const { addMerchant: add } = await importMerchant();
  const operator = operatorOf(args);
  const name = args.value("name") ?? "A merchant";
  const merchant = await add(operator, name, keyFiles(args));
  const { clientId, keyVersion, gatewayKeyVersion, gatewayPublicKey } = merchant;
  if (process.stdout.isTTY) return printResult(args, merchant, nextStepsText({ ...merchant, name }));
  printResult(args, merchant, clientId);
  if (args.has("json")) return;
  process.stderr.write(
    `The merchant signs with its key version ${keyVersion}. Responses are signed with gateway key version ` +
      `${gatewayKeyVersion}; verify them with:\n${gatewayPublicKey}`,
  );
}

interface RegisteredMerchant {
  readonly name: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayKeyVersion: number;
  readonly gatewayPublicKey: string;
}

function nextStepsText({
  name,
  clientId,
  keyVersion,
  gatewayKeyVersion,
  gatewayPublicKey,
}: RegisteredMerchant): string {
  return [
    `${name} is registered and can send API requests.`,
    "",
    `  client id     ${clientId}`,
    `  merchant key  version ${keyVersion}, which signs its requests`,
    `  gateway key   version ${gatewayKeyVersion}, which verifies responses and webhooks:`,
    "",
    gatewayPublicKey,
    "Next: save the gateway key as gateway-public.pem, and give both to the merchant, with the settings",
    "",
    `  TOLLGATE_BASE_URL=${process.env["TOLLGATE_PUBLIC_URL"] || "https://…, the address of serve"}`,
    `  TOLLGATE_CLIENT_ID=${clientId}`,
    "  TOLLGATE_PRIVATE_KEY_FILE=private.pem",
    "  TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=gateway-public.pem",
    "",
    "With these settings, `tollgate pay` makes the first payment. `tollgate merchant set` changes the limits.",
  ].join("\n");
}

async function setMerchant(args: CommandArguments): Promise<void> {
  const { changeMerchant, merchantChangeText } = await importMerchantSettings();
  const change = omitUndefined({
    name: args.value("name"),
    ratePerSecond: parseWholeNumber(args, "rate", [1, 1_000_000]),
    rateBurst: parseWholeNumber(args, "burst", [1, 1_000_000]),
    timeToleranceSeconds: parseWholeNumber(args, "time-tolerance", [1, 3_600]),
    feeBasisPoints: parseWholeNumber(args, "fee", [0, 2_000]),
    linkSchemes: parseList(args, "link-schemes"),
  });
  const notify = parseNotify(args);
  if (Object.keys(change).length === 0 && !notify)
    throw new UsageError("Give at least one setting. List them with `tollgate merchant set --help`.");
  const changedMerchant = await changeMerchant(
    operatorOf(args),
    subjectOf(args, "client-id"),
    change,
    notify,
  );
  printResult(args, changedMerchant, merchantChangeText(changedMerchant));
}

function parseNotify(args: CommandArguments): NotifyAddress | undefined {
  const text = args.value("notify");
  if (text === undefined) return undefined;
  const [kind = "", ...url] = text.split("=");
  if (url.length > 0 && notificationKinds.some((each) => each === kind)) return { kind, url: url.join("=") };
  throw new UsageError(`Write --notify as KIND=URL, where KIND is one of ${notificationKinds.join(", ")}.`);
}

async function setStatus(args: CommandArguments, status: "ACTIVE" | "SUSPENDED"): Promise<void> {
  const { changeMerchant, merchantChangeText } = await importMerchantSettings();
  const changedMerchant = await changeMerchant(operatorOf(args), subjectOf(args, "client-id"), { status });
  const effect = status === "SUSPENDED" ? "rejected" : "accepted";
  const text = `${merchantChangeText(changedMerchant)}\nWithin a second all processes apply this: its requests are ${effect}.`;
  printResult(args, changedMerchant, text);
}

function keyFiles(args: CommandArguments): KeyFiles {
  return { publicKeyFile: requiredOption(args, "public-key"), proofFile: args.value("proof") };
}
