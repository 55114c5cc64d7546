import type { ConnectorTerms, WalletTlsFiles } from "../wallets/connector.ts";
import { UsageError, type Commands, type Given, type Options } from "./command.ts";
import {
  byOf,
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
} from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const yesNo = ["yes", "no"] as const;

/** What a wallet allows; the same for `connector add` and `connector set`. */
const termOptions = {
  currencies: {
    value: "EUR,USD",
    does: "the currencies that it takes; all, when there is none",
    mayBeEmpty: true,
  },
  refunds: {
    value: "HOW",
    does: "NONE, FULL (once, all of it), ONCE (a part as well) or MANY",
    oneOf: ["NONE", "FULL", "ONCE", "MANY"],
  },
  "refund-window": { value: "DAYS", does: "for how long after a payment it refunds" },
  captures: {
    value: "HOW",
    does: "how often held money can be captured: NONE, ONE or MANY",
    oneOf: ["NONE", "ONE", "MANY"],
  },
  "cancel-paid": {
    value: "UNTIL",
    does: "until when a payment that was made can be cancelled: NEVER, DAY or WEEK",
    oneOf: ["NEVER", "DAY", "WEEK"],
  },
  idempotent: {
    value: "yes|no",
    does: "whether a reference that is sent twice acts once; if not, what is unclear is not sent again",
    oneOf: yesNo,
  },
  "quiet-seconds": {
    value: "N",
    does: "how long after a message was sent it may still arrive, so that 'not found' is not believed",
  },
} as const satisfies Options;

/** Keys and certificates; the same for both. */
const keyOptions = {
  "other-public-key": {
    value: "FILE",
    does: "one more that is taken beside it, PEM, while the wallet changes its key; none, when empty",
    mayBeEmpty: true,
  },
  "client-certificate": {
    value: "FILE",
    does: "path of our certificate where we serve, PEM, for a wallet that demands one; none, when empty",
    mayBeEmpty: true,
  },
  "client-key": { value: "FILE", does: "path of its private key there, PEM", mayBeEmpty: true },
  ca: {
    value: "FILE",
    does: "path of the wallet's CA there, PEM, in place of those that Node trusts; none, when empty",
    mayBeEmpty: true,
  },
} as const satisfies Options;

const named = {
  takes: ["[NAME]"],
  options: { name: { value: "NAME", does: "the same as the word" }, ...operatorOptions, ...jsonOption },
} as const;

const connectors = (): Promise<typeof import("./connector.ts")> => import("./connector.ts");

/** Commands about the ways to wallets. */
export const connectorCommands: Commands = {
  "connector add": {
    needs: "operator",
    acts: true,
    does: "set up the way to a wallet",
    about:
      "A name that exists is set up anew, with usual terms where none are given; `connector set` changes only what is named.\n" +
      ownersSettings,
    options: {
      name: { value: "NAME", does: "stands in payments and callback addresses for ever", isRequired: true },
      url: { value: "URL", does: "where the wallet answers; https in live", isRequired: true },
      "partner-id": { value: "ID", does: "how the wallet knows us", isRequired: true },
      "public-key": { value: "FILE", does: "what its answers are verified with, PEM", isRequired: true },
      methods: { value: "A,B", does: "payment methods that it serves; *, the default, for the rest" },
      simulator: { does: "it moves no money; live refuses it" },
      "demands-registration": { does: "stores are refused until the wallet has accepted them" },
      ...keyOptions,
      ...termOptions,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate connector add --name gcash --url https://wallet.example --partner-id acme --public-key wallet.pem --methods GCASH",
    ],
    run: addConnector,
  },
  "connector list": {
    needs: "support",
    does: "all wallets, and which of them do not answer",
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
    does: "the settings and terms of a wallet",
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
    acts: true,
    ...named,
    does: "change the settings and terms of a wallet",
    about: `What is not named stays as it is. Every process takes it up within ten seconds. ${ownersSettings}`,
    options: {
      url: { value: "URL", does: "where the wallet answers; https in live" },
      "partner-id": { value: "ID", does: "how the wallet knows us" },
      "public-key": { value: "FILE", does: "what its answers are verified with, PEM" },
      methods: { value: "A,B", does: "payment methods that it serves; * for all that no other names" },
      "demands-registration": {
        value: "yes|no",
        does: "whether stores are refused until the wallet has accepted them",
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
    acts: true,
    ...named,
    does: "ask a wallet about an order that was never sent, and say how it answers",
    about:
      "It moves no money. Address, TLS, the keys of both sides and both clocks are in it. Exit code 1 says that the wallet is not well.\n" +
      "To sign, it needs TOLLGATE_SIGNER_SOCKET, with which a login of tollgate_operator is enough, or TOLLGATE_KEY_FILE, with which a login of\n" +
      `tollgate_admin is needed: only that one can read the wrapped private keys. ${ownersSettings}`,
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
    acts: true,
    ...named,
    does: "begin nothing new with a wallet, until it is enabled again",
    about:
      "Payments by its methods are refused, and may be sent again later. What was begun goes on: answers, refunds and captures. Every\n" +
      `process takes it up within ten seconds. ${ownersSettings}`,
    examples: ["tollgate connector disable gcash --reason 'gcash is moving its data centre tonight'"],
    run: async (given) => {
      const { switchConnector, connectorText } = await connectors();
      const switched = await switchConnector(operatorOf(given), subjectOf(given, "name"), "disabled");
      show(given, switched, connectorText(switched));
    },
  },
  "connector enable": {
    needs: "operator",
    acts: true,
    ...named,
    does: "take payments with a wallet again",
    about: `Every process takes it up within ten seconds. ${ownersSettings}`,
    examples: ["tollgate connector enable gcash --reason 'gcash has moved'"],
    run: async (given) => {
      const { switchConnector, connectorText } = await connectors();
      const switched = await switchConnector(operatorOf(given), subjectOf(given, "name"), "enabled");
      show(given, switched, connectorText(switched));
    },
  },
  "connector gateway-key": {
    needs: "operator",
    acts: true,
    takesTwo: true,
    ...named,
    does: "sign what goes to a wallet with this gateway key",
    about: `The wallet has to know its public half already. ${ownersSettings}`,
    options: {
      version: { value: "N", does: "which of the gateway's keys", isRequired: true },
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
      await useConnectorKey(url, environment, moved, byOf(given));
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
  await add(url, environment, connector, byOf(given));
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
    throw new UsageError("Say what to set: `tollgate connector set --help` lists it.");
  const changed = await changeConnector(operatorOf(given), subjectOf(given, "name"), { ...change, terms });
  show(given, changed, connectorChangeText(changed));
}

/** Undefined when none is named. */
function tlsIn(given: Given): WalletTlsFiles | undefined {
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
    // The command line was refused unless these are words of the terms.
  }) as Partial<ConnectorTerms>;
}
