import type { ConnectorTerms, ProviderTlsFiles } from "../../providers/connector.ts";
import type { Commands, CommandArguments, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  readActor,
  jsonOption,
  parseList,
  omitUndefined,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
  requiredNumber,
  settingsOf,
  subjectOf,
  parseYesNo,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const yesNo = ["yes", "no"] as const;

/** Options for the capabilities of a provider, for `connector add` and `connector set`. */
const termOptions = {
  currencies: {
    value: "EUR,USD",
    summary: "Supported currencies (default all)",
    mayBeEmpty: true,
  },
  refunds: {
    value: "HOW",
    summary: "Refunds: NONE, FULL (once, in full), ONCE (once, also partial) or MANY",
    oneOf: ["NONE", "FULL", "ONCE", "MANY"],
  },
  "refund-window": { value: "DAYS", summary: "Days after a payment in which it can be refunded" },
  captures: {
    value: "HOW",
    summary: "Captures per authorization: NONE, ONE or MANY",
    oneOf: ["NONE", "ONE", "MANY"],
  },
  "cancel-paid": {
    value: "UNTIL",
    summary: "How long a paid payment can be cancelled: NEVER, DAY or WEEK",
    oneOf: ["NEVER", "DAY", "WEEK"],
  },
  idempotent: {
    value: "yes|no",
    summary: "Whether a repeated reference acts once; if no, unclear results stop",
    oneOf: yesNo,
  },
  "quiet-seconds": {
    value: "N",
    summary: "Quiet time in seconds, in which a sent message may still take effect",
  },
} as const satisfies Options;

/** Options for keys and certificates, for `connector add` and `connector set`. */
const keyOptions = {
  "other-public-key": {
    value: "FILE",
    summary: "Second public key of the provider (PEM) for key rotation; or empty",
    mayBeEmpty: true,
  },
  "client-certificate": {
    value: "FILE",
    summary: "Path of our TLS client certificate on each server, PEM; or empty",
    mayBeEmpty: true,
  },
  "client-key": { value: "FILE", summary: "Path of its private key on each server, PEM", mayBeEmpty: true },
  ca: {
    value: "FILE",
    summary: "Path of the provider's CA, PEM, instead of Node's CAs; or empty",
    mayBeEmpty: true,
  },
} as const satisfies Options;

const connectorDeclaration = {
  positionals: ["[NAME]"],
  options: {
    name: { value: "NAME", summary: "Same as the NAME argument" },
    ...operatorOptions,
    ...jsonOption,
  },
} as const;

const importConnectorSettings = (): Promise<typeof import("./connector-settings.ts")> =>
  import("./connector-settings.ts");

/** Commands for connectors to payment providers. */
export const connectorCommands: Commands = {
  "connector add": {
    requiredRole: "operator",
    auditLabel: { english: "Set up a connector", chinese: "设置连接器" },
    summary: "Set up a connector to a payment provider",
    description:
      "An existing connector is replaced, with defaults for options that are not given. `connector set` " +
      "changes only given options.\n" +
      ownerSettingsHelp,
    options: {
      name: {
        value: "NAME",
        summary: "Permanent name, part of payments and callback addresses",
        isRequired: true,
      },
      url: { value: "URL", summary: "Address of the provider; https in live", isRequired: true },
      "partner-id": { value: "ID", summary: "Our partner id at the provider", isRequired: true },
      "public-key": {
        value: "FILE",
        summary: "Public key that verifies the provider's messages, PEM",
        isRequired: true,
      },
      methods: { value: "A,B", summary: "Payment methods, comma-separated; * for all others (default *)" },
      simulator: { summary: "Mark it as a simulator that moves no money; live rejects it" },
      "demands-registration": { summary: "Stores need the provider's registration before they can sell" },
      ...keyOptions,
      ...termOptions,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate connector add --name gcash --url https://wallet.example --partner-id acme --public-key provider.pem --methods GCASH",
    ],
    run: addConnector,
  },
  "connector list": {
    requiredRole: "support",
    summary: "List connectors and providers that do not respond",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate connector list"],
    run: async (args) => {
      const { findConnectors, connectorTable } = await importConnectorSettings();
      const connectors = await findConnectors(operatorOf(args));
      printResult(args, connectors, connectorTable(connectors));
    },
  },
  "connector show": {
    requiredRole: "support",
    ...connectorDeclaration,
    summary: "Print the settings and capabilities of a connector",
    description: ownerSettingsHelp,
    examples: ["tollgate connector show gcash"],
    run: async (args) => {
      const { findConnector, connectorText } = await importConnectorSettings();
      const connector = await findConnector(operatorOf(args), subjectOf(args, "name"));
      printResult(args, connector, connectorText(connector));
    },
  },
  "connector set": {
    requiredRole: "operator",
    auditLabel: { english: "Changed a connector", chinese: "更改连接器" },
    ...connectorDeclaration,
    summary: "Change the settings and capabilities of a connector",
    description: `Options that are not given stay unchanged. All processes apply the change within ten seconds. ${ownerSettingsHelp}`,
    options: {
      url: { value: "URL", summary: "Address of the provider; https in live" },
      "partner-id": { value: "ID", summary: "Our partner id at the provider" },
      "public-key": { value: "FILE", summary: "Public key that verifies the provider's messages, PEM" },
      methods: { value: "A,B", summary: "Payment methods; * for all that no other connector names" },
      "demands-registration": {
        value: "yes|no",
        summary: "Whether stores need the provider's registration before they can sell",
        oneOf: yesNo,
      },
      ...keyOptions,
      ...termOptions,
      ...connectorDeclaration.options,
    },
    examples: [
      "tollgate connector set gcash --quiet-seconds 300 --idempotent no",
      "tollgate connector set gcash --url https://next.wallet.example --public-key next.pem",
      "tollgate connector set gcash --other-public-key next.pem",
      "tollgate connector set gcash --client-certificate /etc/tollgate/gcash.pem --client-key /etc/tollgate/gcash.key",
    ],
    run: setConnector,
  },
  "connector test": {
    requiredRole: "admin",
    auditLabel: { english: "Tested a connector", chinese: "测试连接器" },
    ...connectorDeclaration,
    summary: "Send a provider an inquiry for an unknown order, and check the reply",
    description:
      "Moves no money. Tests address, TLS, keys and clocks of both sides. Exits with code 1 if a check fails. " +
      "Signing needs TOLLGATE_SIGNER_SOCKET and a login with tollgate_operator, or TOLLGATE_KEY_FILE and a " +
      `login with tollgate_admin, because only that role can read the wrapped private keys. ${ownerSettingsHelp}`,
    examples: ["tollgate connector test gcash --reason 'gcash says that it is back'"],
    run: async (args) => {
      const { openOperatorsSigner, testConnector, connectorTestText } = await import("./connector-test.ts");
      const settings = settingsOf(args, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const operator = operatorOf(args);
      const signer = await openOperatorsSigner(operator, settings);
      const testResult = await testConnector(operator, subjectOf(args, "name"), signer);
      printResult(args, testResult, connectorTestText(testResult));
      if (!testResult.isWell) process.exitCode = 1;
    },
  },
  "connector disable": {
    requiredRole: "operator",
    auditLabel: { english: "Disabled a connector", chinese: "停用连接器" },
    ...connectorDeclaration,
    summary: "Stop new payments with a connector until it is enabled again",
    description:
      "Payments by its methods are rejected and can be retried later. Inquiries, refunds and captures of " +
      `existing payments continue. All processes apply the change within ten seconds. ${ownerSettingsHelp}`,
    examples: ["tollgate connector disable gcash --reason 'gcash is moving its data centre tonight'"],
    run: async (args) => {
      const { setConnectorState, connectorText } = await importConnectorSettings();
      const connector = await setConnectorState(operatorOf(args), subjectOf(args, "name"), "disabled");
      printResult(args, connector, connectorText(connector));
    },
  },
  "connector enable": {
    requiredRole: "operator",
    auditLabel: { english: "Enabled a connector", chinese: "启用连接器" },
    ...connectorDeclaration,
    summary: "Accept payments with a connector again",
    description: `All processes apply the change within ten seconds. ${ownerSettingsHelp}`,
    examples: ["tollgate connector enable gcash --reason 'gcash has moved'"],
    run: async (args) => {
      const { setConnectorState, connectorText } = await importConnectorSettings();
      const connector = await setConnectorState(operatorOf(args), subjectOf(args, "name"), "enabled");
      printResult(args, connector, connectorText(connector));
    },
  },
  "connector gateway-key": {
    requiredRole: "operator",
    auditLabel: {
      english: "Pinned a connector to another gateway key",
      chinese: "为连接器改用我们的另一个密钥",
    },
    requiresApproval: true,
    ...connectorDeclaration,
    summary: "Pin a connector to a gateway key version",
    description: `Messages to the provider are signed with this key. The provider must have its public key already. ${ownerSettingsHelp}`,
    options: {
      version: { value: "N", summary: "Version of the gateway key", isRequired: true },
      ...connectorDeclaration.options,
    },
    examples: ["tollgate connector gateway-key gcash --version 2"],
    run: async (args) => {
      const { pinConnectorGatewayKey } = await importConnectorSettings();
      const { url, environment } = operatorOf(args);
      const pin = {
        name: subjectOf(args, "name"),
        version: requiredNumber(args, "version", [0, 2 ** 31 - 1]),
      };
      await pinConnectorGatewayKey(url, environment, pin, readActor(args));
      printResult(args, pin, "moved");
    },
  },
};

async function addConnector(args: CommandArguments): Promise<void> {
  const { addConnector: add } = await importConnectorSettings();
  const { url, environment } = operatorOf(args);
  const name = requiredOption(args, "name");
  const connector = {
    name,
    url: requiredOption(args, "url"),
    partnerId: requiredOption(args, "partner-id"),
    publicKeyFile: requiredOption(args, "public-key"),
    otherPublicKeyFile: args.value("other-public-key"),
    tls: readTlsFiles(args),
    paymentMethodTypes: parseList(args, "methods") ?? ["*"],
    simulator: args.has("simulator"),
    terms: { ...readTerms(args), demandsRegistration: args.has("demands-registration") },
  };
  await add(url, environment, connector, readActor(args));
  printResult(args, { name }, "added");
}

async function setConnector(args: CommandArguments): Promise<void> {
  const { changeConnector, connectorChangeText } = await importConnectorSettings();
  const terms = omitUndefined({
    ...readTerms(args),
    demandsRegistration: parseYesNo(args, "demands-registration"),
  }) as Partial<ConnectorTerms>;
  const change = omitUndefined({
    url: args.value("url"),
    partnerId: args.value("partner-id"),
    publicKeyFile: args.value("public-key"),
    otherPublicKeyFile: args.value("other-public-key"),
    tls: readTlsFiles(args),
    paymentMethodTypes: parseList(args, "methods"),
  });
  if (Object.keys(change).length + Object.keys(terms).length === 0)
    throw new UsageError("Give at least one setting. List them with `tollgate connector set --help`.");
  const changedConnector = await changeConnector(operatorOf(args), subjectOf(args, "name"), {
    ...change,
    terms,
  });
  printResult(args, changedConnector, connectorChangeText(changedConnector));
}

/** Returns the TLS files of a connector from the options; undefined if none is given. */
function readTlsFiles(args: CommandArguments): ProviderTlsFiles | undefined {
  const files = omitUndefined({
    certificateFile: args.value("client-certificate"),
    keyFile: args.value("client-key"),
    caFile: args.value("ca"),
  });
  return Object.keys(files).length === 0 ? undefined : files;
}

function readTerms(args: CommandArguments): Partial<ConnectorTerms> {
  return omitUndefined({
    currencies: parseList(args, "currencies"),
    refunds: args.value("refunds"),
    refundWindowDays: parseWholeNumber(args, "refund-window", [1, 36_500]),
    captures: args.value("captures"),
    cancelPaid: args.value("cancel-paid"),
    idempotentByReference: parseYesNo(args, "idempotent"),
    quietSeconds: parseWholeNumber(args, "quiet-seconds", [0, 86_400]),
    // The cast is safe, because the parser has already checked these values.
  }) as Partial<ConnectorTerms>;
}
