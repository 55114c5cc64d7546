import { notificationKinds } from "../../notifications/notification-kinds.ts";
import type { KeyFiles } from "./merchant.ts";
import type { NotifyAddress } from "./merchant-settings.ts";
import type { Commands, Given, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  listOf,
  onlyGiven,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
  subjectOf,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const keyOptions = {
  "public-key": { value: "FILE", does: "PEM file with the merchant's public key", isRequired: true },
  proof: { value: "FILE", does: "Signature that proves possession of the private key (required in live)" },
} as const satisfies Options;

const oneMerchant = {
  takes: ["[CLIENT_ID]"],
  options: {
    "client-id": { value: "CLIENT_ID", does: "Same as the CLIENT_ID argument" },
    ...operatorOptions,
    ...jsonOption,
  },
} as const;

const someId = "SANDBOX_7H2KQ9XW3M5T8RBC";
const versions = [0, 2 ** 31 - 1] as const;
const merchants = (): Promise<typeof import("./merchant.ts")> => import("./merchant.ts");
const settings = (): Promise<typeof import("./merchant-settings.ts")> => import("./merchant-settings.ts");

/** Commands for merchants: access, keys, limits, fees and addresses. */
export const merchantCommands: Commands = {
  "merchant add": {
    needs: "operator",
    acts: { english: "Registered the merchant", chinese: "设置商户" },
    does: "Register a merchant's system and print its client id",
    about:
      "On a terminal it also prints the next steps. Otherwise standard output contains only the client id, and " +
      `standard error the gateway's public key. ${ownersSettings}`,
    options: {
      ...keyOptions,
      name: { value: "NAME", does: `Name that buyers see (default "A merchant")` },
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
    needs: "support",
    does: "List merchants with status and limits",
    about: ownersSettings,
    options: {
      status: { value: "STATUS", does: "Only ACTIVE or SUSPENDED merchants", oneOf: ["ACTIVE", "SUSPENDED"] },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate merchant list", "tollgate merchant list --status SUSPENDED --json"],
    run: async (given) => {
      const { listMerchants, merchantTable } = await settings();
      const status = given.value("status");
      const all = await listMerchants(operatorOf(given));
      const found = all.filter((each) => status === undefined || each.status === status);
      show(given, found, merchantTable(found));
    },
  },
  "merchant show": {
    needs: "support",
    ...oneMerchant,
    does: "Print the settings of a merchant",
    about: ownersSettings,
    examples: [`tollgate merchant show ${someId}`, `tollgate merchant show ${someId} --json`],
    run: async (given) => {
      const { findMerchant, merchantText } = await settings();
      const found = await findMerchant(operatorOf(given), subjectOf(given, "client-id"));
      show(given, found, merchantText(found));
    },
  },
  "merchant set": {
    needs: "operator",
    acts: { english: "Changed limits, fee or name", chinese: "更改限额、费率或名称" },
    requiresApproval: true,
    ...oneMerchant,
    does: "Change a merchant's name, limits, fee, apps or webhook addresses",
    about:
      "Options that are not given stay unchanged. All processes apply the change within a second. A fee " +
      "applies to later payments.\n" +
      ownersSettings,
    options: {
      name: { value: "NAME", does: "Name that buyers see" },
      rate: { value: "N", does: "API requests per second, per operation and process" },
      burst: { value: "N", does: "Burst: additional requests at once" },
      "time-tolerance": {
        value: "SECONDS",
        does: "Tolerance of the request time in seconds, 1 to 3600 (clock skew)",
      },
      fee: { value: "N", does: "Fee in basis points, 0 to 2000: 290 is 2.9 %" },
      "link-schemes": {
        value: "A,B",
        does: "URL schemes of its apps for return addresses; empty for none",
        mayBeEmpty: true,
      },
      notify: {
        value: "KIND=URL",
        does: "Default webhook address per kind; nothing after = removes it",
      },
      ...oneMerchant.options,
    },
    examples: [
      `tollgate merchant set ${someId} --rate 500 --burst 1000`,
      `tollgate merchant set ${someId} --name 'Coffee Lab Harbour' --fee 290`,
      `tollgate merchant set ${someId} --notify notifyRefund=https://shop.example/refunds`,
    ],
    run: setMerchant,
  },
  "merchant suspend": {
    needs: "operator",
    acts: { english: "Suspended the merchant", chinese: "暂停商户" },
    requiresApproval: true,
    ...oneMerchant,
    does: "Reject a merchant's API requests; payments in progress complete",
    about:
      "Its requests are rejected with INVALID_CLIENT_STATUS by all processes within a second. Payments, " +
      `refunds and webhooks in progress complete, so that buyers and providers get a final result. ${ownersSettings}`,
    examples: [`tollgate merchant suspend ${someId}`],
    run: (given) => setStatus(given, "SUSPENDED"),
  },
  "merchant resume": {
    needs: "operator",
    acts: { english: "Resumed the merchant", chinese: "恢复商户" },
    requiresApproval: true,
    ...oneMerchant,
    does: "Accept a suspended merchant's API requests again",
    about: ownersSettings,
    examples: [`tollgate merchant resume ${someId}`],
    run: (given) => setStatus(given, "ACTIVE"),
  },
  "merchant key add": {
    needs: "operator",
    acts: { english: "Added a key", chinese: "添加密钥" },
    requiresApproval: true,
    ...oneMerchant,
    does: "Register another public key of a merchant",
    about: ownersSettings,
    options: { ...keyOptions, ...oneMerchant.options },
    examples: [`tollgate merchant key add ${someId} --public-key next.pem`],
    run: async (given) => {
      const { addMerchantKey } = await merchants();
      const clientId = subjectOf(given, "client-id");
      const keyVersion = await addMerchantKey(operatorOf(given), clientId, keyFiles(given));
      show(given, { clientId, keyVersion }, `key version ${keyVersion}`);
    },
  },
  "merchant key revoke": {
    needs: "operator",
    acts: { english: "Revoked a key", chinese: "吊销密钥" },
    requiresApproval: true,
    ...oneMerchant,
    does: "Revoke a merchant's key permanently",
    about: `\`tollgate merchant keys\` shows which keys are unused and can be revoked. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "Version of the merchant's key", isRequired: true },
      ...oneMerchant.options,
    },
    examples: [`tollgate merchant key revoke ${someId} --version 1`],
    run: async (given) => {
      const { revokeMerchantKey } = await merchants();
      const [clientId, version] = [subjectOf(given, "client-id"), requiredNumber(given, "version", versions)];
      await revokeMerchantKey(operatorOf(given), clientId, version);
      show(given, { clientId, revokedVersion: version }, "revoked");
    },
  },
  "merchant keys": {
    needs: "support",
    ...oneMerchant,
    does: "List a merchant's keys with their use",
    about: ownersSettings,
    examples: [`tollgate merchant keys ${someId}`],
    run: async (given) => {
      const { findMerchantKeys, keysJson, keysTable } = await import("./merchant-keys.ts");
      const report = await findMerchantKeys(operatorOf(given), subjectOf(given, "client-id"));
      show(given, keysJson(report), keysTable(report));
    },
  },
  "merchant gateway-key": {
    needs: "operator",
    acts: { english: "Pinned to another gateway key", chinese: "改用我们的另一个密钥" },
    requiresApproval: true,
    ...oneMerchant,
    does: "Pin a merchant to a gateway key version",
    about:
      "Responses and webhooks to the merchant are signed with this key. The merchant must have its public key " +
      `already. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "Version of the gateway key", isRequired: true },
      ...oneMerchant.options,
    },
    examples: [`tollgate merchant gateway-key ${someId} --version 2`],
    run: async (given) => {
      const { useMerchantGatewayKey } = await merchants();
      const [clientId, version] = [subjectOf(given, "client-id"), requiredNumber(given, "version", versions)];
      await useMerchantGatewayKey(operatorOf(given), clientId, version);
      show(given, { clientId, gatewayKeyVersion: version }, "moved");
    },
  },
  "merchant link-schemes": {
    needs: "operator",
    acts: { english: "Changed the apps", chinese: "更改应用" },
    ...oneMerchant,
    does: "Set the URL schemes of a merchant's apps for return addresses",
    about: `Same as \`merchant set --link-schemes\`. ${ownersSettings}`,
    options: {
      schemes: { value: "A,B", does: "Schemes, separated by commas (default none)", mayBeEmpty: true },
      ...oneMerchant.options,
    },
    examples: [`tollgate merchant link-schemes ${someId} --schemes shopapp`],
    run: async (given) => {
      const { setLinkSchemes } = await merchants();
      const [clientId, linkSchemes] = [subjectOf(given, "client-id"), listOf(given, "schemes") ?? []];
      await setLinkSchemes(operatorOf(given), clientId, linkSchemes);
      show(given, { clientId, linkSchemes }, "set");
    },
  },
};

/**
 * Registers a merchant. Prints the client id for scripts and the public key on standard error; on a terminal, prints
 * the next steps.
 */
async function addMerchant(given: Given): Promise<void> {
  const { addMerchant: add } = await merchants();
  const operator = operatorOf(given);
  const name = given.value("name") ?? "A merchant";
  const added = await add(operator, name, keyFiles(given));
  const { clientId, keyVersion, gatewayKeyVersion, gatewayPublicKey } = added;
  if (process.stdout.isTTY) return show(given, added, welcome({ ...added, name }));
  show(given, added, clientId);
  if (given.has("json")) return;
  process.stderr.write(
    `The merchant signs with its key version ${keyVersion}. Responses are signed with gateway key version ` +
      `${gatewayKeyVersion}; verify them with:\n${gatewayPublicKey}`,
  );
}

interface Added {
  readonly name: string;
  readonly clientId: string;
  readonly keyVersion: number;
  readonly gatewayKeyVersion: number;
  readonly gatewayPublicKey: string;
}

function welcome({ name, clientId, keyVersion, gatewayKeyVersion, gatewayPublicKey }: Added): string {
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

async function setMerchant(given: Given): Promise<void> {
  const { changeMerchant, changeText } = await settings();
  const change = onlyGiven({
    name: given.value("name"),
    ratePerSecond: wholeNumber(given, "rate", [1, 1_000_000]),
    rateBurst: wholeNumber(given, "burst", [1, 1_000_000]),
    timeToleranceSeconds: wholeNumber(given, "time-tolerance", [1, 3_600]),
    feeBasisPoints: wholeNumber(given, "fee", [0, 2_000]),
    linkSchemes: listOf(given, "link-schemes"),
  });
  const notify = notifyIn(given);
  if (Object.keys(change).length === 0 && !notify)
    throw new UsageError("Give at least one setting. List them with `tollgate merchant set --help`.");
  const changed = await changeMerchant(operatorOf(given), subjectOf(given, "client-id"), change, notify);
  show(given, changed, changeText(changed));
}

function notifyIn(given: Given): NotifyAddress | undefined {
  const text = given.value("notify");
  if (text === undefined) return undefined;
  const [kind = "", ...url] = text.split("=");
  if (url.length > 0 && notificationKinds.some((each) => each === kind)) return { kind, url: url.join("=") };
  throw new UsageError(`Write --notify as KIND=URL, where KIND is one of ${notificationKinds.join(", ")}.`);
}

async function setStatus(given: Given, status: "ACTIVE" | "SUSPENDED"): Promise<void> {
  const { changeMerchant, changeText } = await settings();
  const changed = await changeMerchant(operatorOf(given), subjectOf(given, "client-id"), { status });
  const follows = status === "SUSPENDED" ? "rejected" : "accepted";
  const text = `${changeText(changed)}\nWithin a second all processes apply this: its requests are ${follows}.`;
  show(given, changed, text);
}

function keyFiles(given: Given): KeyFiles {
  return { publicKeyFile: required(given, "public-key"), proofFile: given.value("proof") };
}
