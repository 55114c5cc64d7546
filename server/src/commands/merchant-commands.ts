import { notificationKinds } from "../notifications/notification.ts";
import type { KeyFiles } from "./merchant.ts";
import type { NotifyAddress } from "./merchant-settings.ts";
import { UsageError, type Commands, type Given, type Options } from "./command.ts";
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
} from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const keyOptions = {
  "public-key": { value: "FILE", does: "the merchant's public key, PEM", isRequired: true },
  proof: { value: "FILE", does: "a signature that shows who holds the private key; live demands it" },
} as const satisfies Options;

const oneMerchant = {
  takes: ["[CLIENT_ID]"],
  options: {
    "client-id": { value: "CLIENT_ID", does: "the same as the word" },
    ...operatorOptions,
    ...jsonOption,
  },
} as const;

const someId = "SANDBOX_7H2KQ9XW3M5T8RBC";
const versions = [0, 2 ** 31 - 1] as const;
const merchants = (): Promise<typeof import("./merchant.ts")> => import("./merchant.ts");
const settings = (): Promise<typeof import("./merchant-settings.ts")> => import("./merchant-settings.ts");

/** Commands about merchants: who may call, with which keys, and how much. */
export const merchantCommands: Commands = {
  "merchant add": {
    needs: "operator",
    acts: true,
    does: "register a merchant's system, and print its client id",
    about:
      "On a terminal it also prints the next steps. Otherwise standard output has the client id alone, and standard error the\n" +
      `gateway's public key. ${ownersSettings}`,
    options: {
      ...keyOptions,
      name: { value: "NAME", does: "the name that buyers see; A merchant, unless said otherwise" },
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
    does: "all merchants, with their status and limits",
    about: ownersSettings,
    options: {
      status: { value: "STATUS", does: "only ACTIVE or SUSPENDED ones", oneOf: ["ACTIVE", "SUSPENDED"] },
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
    does: "the settings of a merchant",
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
    acts: true,
    takesTwo: true,
    ...oneMerchant,
    does: "change the settings of a merchant: name, limits, fee, apps, addresses",
    about:
      "What is not named stays as it is. Every process takes it up within a second. A fee is for payments from then on.\n" +
      ownersSettings,
    options: {
      name: { value: "NAME", does: "the name that buyers see" },
      rate: { value: "N", does: "calls a second, for each operation and process" },
      burst: { value: "N", does: "calls at once, on top of the rate" },
      "time-tolerance": { value: "SECONDS", does: "how far its clock may be from ours, 1 to 3600" },
      fee: { value: "N", does: "our fee in hundredths of a per cent, 0 to 2000: 290 is 2.9 %" },
      "link-schemes": {
        value: "A,B",
        does: "schemes of its apps that buyers may return to, beside https; empty for none",
        mayBeEmpty: true,
      },
      notify: {
        value: "KIND=URL",
        does: "where notifications of a kind go, unless a request says; empty behind = for nowhere",
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
    acts: true,
    takesTwo: true,
    ...oneMerchant,
    does: "refuse a merchant's calls from now on; what was begun comes to its end",
    about:
      "Its calls are refused with INVALID_CLIENT_STATUS, by every process within a second. Payments, refunds and notifications\n" +
      `that were begun come to their end: buyers and wallets must not hang in the air. ${ownersSettings}`,
    examples: [`tollgate merchant suspend ${someId}`],
    run: (given) => setStatus(given, "SUSPENDED"),
  },
  "merchant resume": {
    needs: "operator",
    acts: true,
    takesTwo: true,
    ...oneMerchant,
    does: "take a suspended merchant's calls again",
    about: ownersSettings,
    examples: [`tollgate merchant resume ${someId}`],
    run: (given) => setStatus(given, "ACTIVE"),
  },
  "merchant key add": {
    needs: "operator",
    acts: true,
    takesTwo: true,
    ...oneMerchant,
    does: "register another key of a merchant",
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
    acts: true,
    takesTwo: true,
    ...oneMerchant,
    does: "refuse a key from now on, for ever",
    about: `\`tollgate merchant keys\` says which can be revoked without breaking calls. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "which of its keys", isRequired: true },
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
    does: "which key signed what, and which can be revoked",
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
    acts: true,
    takesTwo: true,
    ...oneMerchant,
    does: "sign what goes to a merchant with this gateway key",
    about: `The merchant has to know its public half already. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "which of the gateway's keys", isRequired: true },
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
    acts: true,
    ...oneMerchant,
    does: "apps that buyers may return to, beside https",
    about: `The same as \`merchant set --link-schemes\`. ${ownersSettings}`,
    options: {
      schemes: { value: "A,B", does: "their schemes; without it, none", mayBeEmpty: true },
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

/** For a script the client id, and beside it the key; for somebody at a terminal what to do with them. */
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
    `Sign with key version ${keyVersion}. Our answers carry key version ${gatewayKeyVersion}; ` +
      `verify them with:\n${gatewayPublicKey}`,
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
    `${name} is registered, and may call at once.`,
    "",
    `  client id    ${clientId}`,
    `  its key      version ${keyVersion}, with which it signs`,
    `  our key      version ${gatewayKeyVersion}, with which it verifies our answers and notifications:`,
    "",
    gatewayPublicKey,
    "Next: save our key as gateway-public.pem, and give both to the merchant, whose settings are",
    "",
    `  TOLLGATE_BASE_URL=${process.env["TOLLGATE_PUBLIC_URL"] || "https://…, where you serve"}`,
    `  TOLLGATE_CLIENT_ID=${clientId}`,
    "  TOLLGATE_PRIVATE_KEY_FILE=private.pem",
    "  TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=gateway-public.pem",
    "",
    "With these, `tollgate pay` is its first payment; `tollgate merchant set` changes its limits.",
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
    throw new UsageError("Say what to set: `tollgate merchant set --help` lists it.");
  const changed = await changeMerchant(operatorOf(given), subjectOf(given, "client-id"), change, notify);
  show(given, changed, changeText(changed));
}

function notifyIn(given: Given): NotifyAddress | undefined {
  const text = given.value("notify");
  if (text === undefined) return undefined;
  const [kind = "", ...url] = text.split("=");
  if (url.length > 0 && notificationKinds.some((each) => each === kind)) return { kind, url: url.join("=") };
  throw new UsageError(`--notify is KIND=URL, and the kind one of ${notificationKinds.join(", ")}.`);
}

async function setStatus(given: Given, status: "ACTIVE" | "SUSPENDED"): Promise<void> {
  const { changeMerchant, changeText } = await settings();
  const changed = await changeMerchant(operatorOf(given), subjectOf(given, "client-id"), { status });
  const follows = status === "SUSPENDED" ? "refused" : "taken";
  const text = `${changeText(changed)}\nWithin a second its calls are ${follows} by every process.`;
  show(given, changed, text);
}

function keyFiles(given: Given): KeyFiles {
  return { publicKeyFile: required(given, "public-key"), proofFile: given.value("proof") };
}
