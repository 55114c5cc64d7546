import type { ConnectorTerms, ProviderTlsFiles } from "../../providers/connector.ts";
import type { Commands, Given, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  readActor,
  jsonOption,
  listOf,
  onlyGiven,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
  settingsOf,
  subjectOf,
  yesOrNo,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const yesNo = ["yes", "no"] as const;

/** Options for the capabilities of a provider, for `connector add` and `connector set`. */
const termOptions = {
  currencies: {
    value: "EUR,USD",
    does: "Supported currencies (default all)",
    mayBeEmpty: true,
  },
  refunds: {
    value: "HOW",
    does: "Refunds: NONE, FULL (once, in full), ONCE (once, also partial) or MANY",
    oneOf: ["NONE", "FULL", "ONCE", "MANY"],
  },
  "refund-window": { value: "DAYS", does: "Days after a payment in which it can be refunded" },
  captures: {
    value: "HOW",
    does: "Captures per authorization: NONE, ONE or MANY",
    oneOf: ["NONE", "ONE", "MANY"],
  },
  "cancel-paid": {
    value: "UNTIL",
    does: "How long a paid payment can be cancelled: NEVER, DAY or WEEK",
    oneOf: ["NEVER", "DAY", "WEEK"],
  },
  idempotent: {
    value: "yes|no",
    does: "Whether a repeated reference acts once; if no, unclear results stop",
    oneOf: yesNo,
  },
  "quiet-seconds": {
    value: "N",
    does: "Quiet time in seconds, in which a sent message may still take effect",
  },
} as const satisfies Options;

/** Options for keys and certificates, for `connector add` and `connector set`. */
const keyOptions = {
  "other-public-key": {
    value: "FILE",
    does: "Second public key of the provider (PEM) for key rotation; or empty",
    mayBeEmpty: true,
  },
  "client-certificate": {
    value: "FILE",
    does: "Path of our TLS client certificate on each server, PEM; or empty",
    mayBeEmpty: true,
  },
  "client-key": { value: "FILE", does: "Path of its private key on each server, PEM", mayBeEmpty: true },
  ca: {
    value: "FILE",
    does: "Path of the provider's CA, PEM, instead of Node's CAs; or empty",
    mayBeEmpty: true,
  },
} as const satisfies Options;

const named = {
  takes: ["[NAME]"],
  options: { name: { value: "NAME", does: "Same as the NAME argument" }, ...operatorOptions, ...jsonOption },
} as const;

const connectors = (): Promise<typeof import("./connector.ts")> => import("./connector.ts");

/** Commands for connectors to payment providers. */
export const connectorCommands: Commands = {
  "connector add": {
    needs: "operator",
    acts: { english: "Set up a connector", chinese: "设置连接器" },
    does: "Set up a connector to a payment provider",
    about:
      "An existing connector is replaced, with defaults for options that are not given. `connector set` " +
      "changes only given options.\n" +
      ownersSettings,
    options: {
      name: {
        value: "NAME",
        does: "Permanent name, part of payments and callback addresses",
        isRequired: true,
      },
      url: { value: "URL", does: "Address of the provider; https in live", isRequired: true },
      "partner-id": { value: "ID", does: "Our partner id at the provider", isRequired: true },
      "public-key": {
        value: "FILE",
        does: "Public key that verifies the provider's messages, PEM",
        isRequired: true,
      },
      methods: { value: "A,B", does: "Payment methods, comma-separated; * for all others (default *)" },
      simulator: { does: "Mark it as a simulator that moves no money; live rejects it" },
      "demands-registration": { does: "Stores need the provider's registration before they can sell" },
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
    needs: "support",
    does: "List connectors and providers that do not respond",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate connector list"],
    run: async (given) => {
      const { findConnectors, connectorTable } = await connectors();
      const found = await findConnectors(operatorOf(given));
      show(given, found, connectorTable(found));
    },
  },
  "connector show": {
    needs: "support",
    ...named,
    does: "Print the settings and capabilities of a connector",
    about: ownersSettings,
    examples: ["tollgate connector show gcash"],
    run: async (given) => {
      const { findConnector, connectorText } = await connectors();
      const found = await findConnector(operatorOf(given), subjectOf(given, "name"));
      show(given, found, connectorText(found));
    },
  },
  "connector set": {
    needs: "operator",
    acts: { english: "Changed a connector", chinese: "更改连接器" },
    ...named,
    does: "Change the settings and capabilities of a connector",
    about: `Options that are not given stay unchanged. All processes apply the change within ten seconds. ${ownersSettings}`,
    options: {
      url: { value: "URL", does: "Address of the provider; https in live" },
      "partner-id": { value: "ID", does: "Our partner id at the provider" },
      "public-key": { value: "FILE", does: "Public key that verifies the provider's messages, PEM" },
      methods: { value: "A,B", does: "Payment methods; * for all that no other connector names" },
      "demands-registration": {
        value: "yes|no",
        does: "Whether stores need the provider's registration before they can sell",
        oneOf: yesNo,
      },
      ...keyOptions,
      ...termOptions,
      ...named.options,
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
    needs: "admin",
    acts: { english: "Tested a connector", chinese: "测试连接器" },
    ...named,
    does: "Send a provider an inquiry for an unknown order, and check the reply",
    about:
      "Moves no money. Tests address, TLS, keys and clocks of both sides. Exits with code 1 if a check fails. " +
      "Signing needs TOLLGATE_SIGNER_SOCKET and a login with tollgate_operator, or TOLLGATE_KEY_FILE and a " +
      `login with tollgate_admin, because only that role can read the wrapped private keys. ${ownersSettings}`,
    examples: ["tollgate connector test gcash --reason 'gcash says that it is back'"],
    run: async (given) => {
      const { openOperatorsSigner, testConnector, testedText } = await import("./connector-test.ts");
      const settings = settingsOf(given, ["environment", "ownerDatabaseUrl", "keyFile"]);
      const operator = operatorOf(given);
      const signer = await openOperatorsSigner(operator, settings);
      const tested = await testConnector(operator, subjectOf(given, "name"), signer);
      show(given, tested, testedText(tested));
      if (!tested.isWell) process.exitCode = 1;
    },
  },
  "connector disable": {
    needs: "operator",
    acts: { english: "Disabled a connector", chinese: "停用连接器" },
    ...named,
    does: "Stop new payments with a connector until it is enabled again",
    about:
      "Payments by its methods are rejected and can be retried later. Inquiries, refunds and captures of " +
      `existing payments continue. All processes apply the change within ten seconds. ${ownersSettings}`,
    examples: ["tollgate connector disable gcash --reason 'gcash is moving its data centre tonight'"],
    run: async (given) => {
      const { switchConnector, connectorText } = await connectors();
      const switched = await switchConnector(operatorOf(given), subjectOf(given, "name"), "disabled");
      show(given, switched, connectorText(switched));
    },
  },
  "connector enable": {
    needs: "operator",
    acts: { english: "Enabled a connector", chinese: "启用连接器" },
    ...named,
    does: "Accept payments with a connector again",
    about: `All processes apply the change within ten seconds. ${ownersSettings}`,
    examples: ["tollgate connector enable gcash --reason 'gcash has moved'"],
    run: async (given) => {
      const { switchConnector, connectorText } = await connectors();
      const switched = await switchConnector(operatorOf(given), subjectOf(given, "name"), "enabled");
      show(given, switched, connectorText(switched));
    },
  },
  "connector gateway-key": {
    needs: "operator",
    acts: { english: "Pinned a connector to another gateway key", chinese: "为连接器改用我们的另一个密钥" },
    requiresApproval: true,
    ...named,
    does: "Pin a connector to a gateway key version",
    about: `Messages to the provider are signed with this key. The provider must have its public key already. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "Version of the gateway key", isRequired: true },
      ...named.options,
    },
    examples: ["tollgate connector gateway-key gcash --version 2"],
    run: async (given) => {
      const { useConnectorKey } = await connectors();
      const { url, environment } = operatorOf(given);
      const moved = {
        name: subjectOf(given, "name"),
        version: requiredNumber(given, "version", [0, 2 ** 31 - 1]),
      };
      await useConnectorKey(url, environment, moved, readActor(given));
      show(given, moved, "moved");
    },
  },
};

async function addConnector(given: Given): Promise<void> {
  const { addConnector: add } = await connectors();
  const { url, environment } = operatorOf(given);
  const name = required(given, "name");
  const connector = {
    name,
    url: required(given, "url"),
    partnerId: required(given, "partner-id"),
    publicKeyFile: required(given, "public-key"),
    otherPublicKeyFile: given.value("other-public-key"),
    tls: tlsIn(given),
    paymentMethodTypes: listOf(given, "methods") ?? ["*"],
    simulator: given.has("simulator"),
    terms: { ...termsIn(given), demandsRegistration: given.has("demands-registration") },
  };
  await add(url, environment, connector, readActor(given));
  show(given, { name }, "added");
}

async function setConnector(given: Given): Promise<void> {
  const { changeConnector, connectorChangeText } = await connectors();
  const terms = onlyGiven({
    ...termsIn(given),
    demandsRegistration: yesOrNo(given, "demands-registration"),
  }) as Partial<ConnectorTerms>;
  const change = onlyGiven({
    url: given.value("url"),
    partnerId: given.value("partner-id"),
    publicKeyFile: given.value("public-key"),
    otherPublicKeyFile: given.value("other-public-key"),
    tls: tlsIn(given),
    paymentMethodTypes: listOf(given, "methods"),
  });
  if (Object.keys(change).length + Object.keys(terms).length === 0)
    throw new UsageError("Give at least one setting. List them with `tollgate connector set --help`.");
  const changed = await changeConnector(operatorOf(given), subjectOf(given, "name"), { ...change, terms });
  show(given, changed, connectorChangeText(changed));
}

/** Returns the TLS files of a connector from the options; undefined if none is given. */
function tlsIn(given: Given): ProviderTlsFiles | undefined {
  const files = onlyGiven({
    certificateFile: given.value("client-certificate"),
    keyFile: given.value("client-key"),
    caFile: given.value("ca"),
  });
  return Object.keys(files).length === 0 ? undefined : files;
}

function termsIn(given: Given): Partial<ConnectorTerms> {
  return onlyGiven({
    currencies: listOf(given, "currencies"),
    refunds: given.value("refunds"),
    refundWindowDays: wholeNumber(given, "refund-window", [1, 36_500]),
    captures: given.value("captures"),
    cancelPaid: given.value("cancel-paid"),
    idempotentByReference: yesOrNo(given, "idempotent"),
    quietSeconds: wholeNumber(given, "quiet-seconds", [0, 86_400]),
    // The cast is safe, because the parser has already checked these values.
  }) as Partial<ConnectorTerms>;
}
