import type { Commands, CommandArguments } from "../framework/command.ts";
import { CommandFailed, UsageError } from "../../core/command-errors.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import type { ProviderFacts } from "../../providers/provider-facts.ts";
import type { Signer } from "../../signing/gateway-keys.ts";
import { formatError } from "../framework/format-error.ts";
import type { NewConnector } from "./connector-settings.ts";
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
import { keyOptions, readTerms, readTlsFiles, termOptions, yesNo } from "./connector-options.ts";

/** Sentence in the help of commands that send a request to a provider. */
const signingHelp =
  "Signing needs TOLLGATE_SIGNER_SOCKET and a login with tollgate_operator, or TOLLGATE_KEY_FILE and a " +
  "login with tollgate_admin, because only that role can read the wrapped private keys.";

const connectorDeclaration = {
  positionals: ["[NAME]"],
  options: {
    name: { value: "NAME", summary: "Same as the NAME argument" },
    ...operatorOptions,
    ...jsonOption,
  },
} as const;

type ConnectorModules = [typeof import("./connector-settings.ts"), typeof import("./connector-text.ts")];
const importConnectors = (): Promise<ConnectorModules> =>
  Promise.all([import("./connector-settings.ts"), import("./connector-text.ts")]);

/** Commands for connectors to payment providers. */
export const connectorCommands: Commands = {
  "connector add": {
    requiredRole: "operator",
    auditLabel: { english: "Set up a connector", chinese: "设置连接器" },
    summary: "Set up a connector to a payment provider",
    description:
      "Asks the provider for its facts, which are the defaults of options that are not given. An existing " +
      "connector is replaced; `connector set` changes only given options.\n" +
      `${signingHelp} ${ownerSettingsHelp}`,
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
      "without-facts": { summary: "Add it without asking the provider, which does not run yet" },
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
      const [{ findConnectors }, { connectorTable }] = await importConnectors();
      const connectors = await findConnectors(operatorOf(args));
      printResult(args, connectors, connectorTable(connectors));
    },
  },
  "connector show": {
    requiredRole: "support",
    ...connectorDeclaration,
    summary: "Print the settings, capabilities and facts of a connector",
    description: ownerSettingsHelp,
    examples: ["tollgate connector show gcash"],
    run: async (args) => {
      const [{ findConnector }, { connectorText, warningsOf }] = await importConnectors();
      const connector = await findConnector(operatorOf(args), subjectOf(args, "name"));
      printResult(args, { ...connector, warnings: warningsOf(connector) }, connectorText(connector));
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
    summary: "Send a provider an inquiry for an unknown order, and check the reply and its facts",
    description:
      "Moves no money and stores no facts. Tests address, TLS, keys and clocks of both sides, and prints how the " +
      `facts have changed. Exits with code 1 if a check fails. ${signingHelp} ${ownerSettingsHelp}`,
    examples: ["tollgate connector test gcash --reason 'gcash says that it is back'"],
    run: async (args) => {
      const { testConnector, connectorTestText } = await import("./connector-test.ts");
      const { operator, signer } = await openSigner(args);
      const testResult = await testConnector(operator, subjectOf(args, "name"), signer);
      printResult(args, testResult, connectorTestText(testResult));
      if (!testResult.isWell) process.exitCode = 1;
    },
  },
  "connector refresh": {
    requiredRole: "admin",
    auditLabel: { english: "Refreshed a connector's facts", chinese: "更新连接器的说明" },
    ...connectorDeclaration,
    summary: "Ask a provider for its facts again, and store them",
    description:
      "The facts change the settings that no operator has given. Prints the differences. All processes apply the " +
      `change within ten seconds. ${signingHelp} ${ownerSettingsHelp}`,
    examples: ["tollgate connector refresh gcash --reason 'gcash accepts captures now'"],
    run: async (args) => {
      const [{ refreshConnector }, { factsChangeLines, connectorChangeText }] = await Promise.all([
        import("./connector-facts.ts"),
        import("./connector-text.ts"),
      ]);
      const { operator, signer } = await openSigner(args);
      const changed = await refreshConnector(operator, subjectOf(args, "name"), signer);
      const { before, after } = changed;
      const lines = after.facts ? factsChangeLines(before.facts, after.facts) : [];
      printResult(args, changed, [...lines, connectorChangeText(changed)].join("\n"));
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
      const [{ setConnectorState }, { connectorText }] = await importConnectors();
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
      const [{ setConnectorState }, { connectorText }] = await importConnectors();
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
      const [{ pinConnectorGatewayKey }] = await importConnectors();
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
  const [{ addConnector: add, findConnector }, { warningsOf }] = await importConnectors();
  const operator = operatorOf(args);
  const connector = {
    name: requiredOption(args, "name"),
    url: requiredOption(args, "url"),
    partnerId: requiredOption(args, "partner-id"),
    publicKeyFile: requiredOption(args, "public-key"),
    otherPublicKeyFile: args.value("other-public-key"),
    tls: readTlsFiles(args),
    paymentMethodTypes: parseList(args, "methods") ?? ["*"],
    simulator: args.has("simulator"),
    terms: {
      ...readTerms(args),
      ...(args.has("demands-registration") && { demandsRegistration: true }),
    },
  };
  const facts = args.has("without-facts") ? undefined : await askNewProvider(args, connector);
  await add(operator.url, operator.environment, { ...connector, facts }, readActor(args));
  const { name } = connector;
  const warnings = warningsOf(await findConnector(operator, name));
  const lines = ["added", ...warnings.map((warning) => `Warning: ${warning}`)];
  printResult(args, { name, warnings }, lines.join("\n"));
}

/** Asks a new connector's provider for its facts. Every error says how to add the connector without them. */
async function askNewProvider(args: CommandArguments, connector: NewConnector): Promise<ProviderFacts> {
  const [{ requestFactsOfNew }, { refuseInvalid }] = await Promise.all([
    import("./connector-facts.ts"),
    import("./check-connector.ts"),
  ]);
  refuseInvalid(operatorOf(args).environment, connector);
  try {
    const { operator, signer } = await openSigner(args);
    return await requestFactsOfNew(operator, connector, signer);
  } catch (error) {
    const isDenied = error instanceof Error && "code" in error && error.code === "42501";
    const reason = isDenied ? `This login cannot sign. ${signingHelp}` : formatError(error);
    throw new CommandFailed(
      `${reason}\nNothing was added. Start the provider, and check --url, its key and that it has the gateway's ` +
        "public key. To add the connector before the provider runs, give --without-facts.",
    );
  }
}

async function openSigner(
  args: CommandArguments,
): Promise<{ readonly operator: Operator; readonly signer: Signer }> {
  const { openOperatorsSigner } = await import("./connector-test.ts");
  const settings = settingsOf(args, ["environment", "ownerDatabaseUrl", "keyFile"]);
  const operator = operatorOf(args);
  return { operator, signer: await openOperatorsSigner(operator, settings) };
}

async function setConnector(args: CommandArguments): Promise<void> {
  const [{ changeConnector }, { connectorChangeText }] = await importConnectors();
  const demandsRegistration = parseYesNo(args, "demands-registration");
  const terms = { ...readTerms(args), ...omitUndefined({ demandsRegistration }) };
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
