import assert from "node:assert/strict";
import { test } from "node:test";
import {
  exampleFacts,
  failureResponse,
  startScriptedProvider,
  successResponse,
  type ScriptedProvider,
} from "../../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { prepareTestGateway } from "../../../test/start/test-gateway.ts";
import type { ProviderFacts } from "../../providers/provider-facts.ts";
import { readSettings } from "../../settings/settings.ts";
import { findAudit } from "../audit/audit-log.ts";
import { refreshConnector, requestFactsOfNew } from "./connector-facts.ts";
import { readFacts } from "./read-facts.ts";
import { addConnector, changeConnector, findConnector, type NewConnector } from "./connector-settings.ts";
import { connectorTestText, openOperatorsSigner, testConnector } from "./connector-test.ts";
import { connectorText, factsChangeLines, warningsOf } from "./connector-text.ts";

const { database, operatorVariables } = await prepareTestGateway("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
const signer = await openOperatorsSigner(operator, readSettings(operatorVariables));

async function startProvider(name: string, facts: Partial<ProviderFacts> = {}): Promise<ScriptedProvider> {
  const provider = await startScriptedProvider(name, () => failureResponse("ORDER_NOT_EXIST"));
  state(provider, facts);
  return provider;
}

function state(provider: ScriptedProvider, facts: object): void {
  provider.facts = successResponse({ facts: { ...exampleFacts, ...facts } });
}

function settingsFor(
  { name, url, publicKeyFile }: ScriptedProvider,
  more: Partial<NewConnector> = {},
): NewConnector {
  return {
    name,
    url,
    partnerId: "tollgate",
    publicKeyFile,
    paymentMethodTypes: ["CARD"],
    simulator: true,
    ...more,
  };
}

/** Adds a connector as the command does. */
async function add(settings: NewConnector): Promise<void> {
  const facts = await requestFactsOfNew(operator, settings, signer);
  await addConnector(operator.url, "sandbox", { ...settings, facts });
}

const limited = {
  idempotencyWindowSeconds: 86_400,
  quietSeconds: 60,
  holdSeconds: 3_600,
  refundWindowSeconds: 30 * 86_400,
  refunds: "ONCE",
  captures: "ONE",
  cancelPaid: "NEVER",
  currencies: [{ currency: "EUR" }, { currency: "ISK", minorUnits: 2 }],
  paymentMethodTypes: ["CARD"],
} as const;

test("the facts of a provider are the defaults of its connector, and are stored with their time", async () => {
  const provider = await startProvider("stating", limited);
  await add(settingsFor(provider));
  const connector = await findConnector(operator, "stating");
  assert.deepEqual(connector.terms, {
    refunds: "ONCE",
    refundWindowDays: 30,
    captures: "ONE",
    cancelPaid: "NEVER",
    idempotentByReference: true,
    idempotencyWindowSeconds: 86_400,
    quietSeconds: 60,
    holdSeconds: 3_600,
    demandsRegistration: false,
    currencies: ["EUR", "ISK"],
    accounts: "none",
    priority: 100,
  });
  assert.ok(Math.abs(Date.now() - Number(connector.factsAt)) < 60_000);
  const text = connectorText(connector);
  assert.match(text, /^software +Scripted provider 1\.0\.0$/m);
  assert.match(text, /^provider's minor units +ISK 2$/m);
  assert.match(text, /^idempotent +for 86400 s after the first message$/m);
  assert.doesNotMatch(text, /Warning/);
});

test("a setting of the operator wins over a fact, and a warning names each one that promises more", async () => {
  const provider = await startProvider("contradicted", limited);
  const terms = { refunds: "MANY", quietSeconds: 300, currencies: ["EUR", "USD"] } as const;
  await add(settingsFor(provider, { terms, paymentMethodTypes: ["CARD", "GCASH"] }));
  const connector = await findConnector(operator, "contradicted");
  assert.partialDeepStrictEqual(connector.terms, { ...terms, captures: "ONE" });
  assert.deepEqual(warningsOf(connector), [
    "refunds is set to MANY, but the provider states ONCE. The setting is used.",
    "currencies is set to USD, but the provider states EUR, ISK. The setting is used.",
    "paymentMethodTypes is set to GCASH, but the provider states CARD. The setting is used.",
  ]);
});

test("a refresh changes what no operator has set, and leaves an audit row with the facts", async () => {
  const provider = await startProvider("changing");
  await add(settingsFor(provider, { terms: { refunds: "FULL" } }));
  await changeConnector(operator, "changing", { terms: { quietSeconds: 30, demandsRegistration: true } });
  state(provider, { ...limited, softwareVersion: "2.0.0" });
  const tested = await testConnector(operator, "changing", signer);
  assert.match(connectorTestText(tested), /replied correctly[^]*\nsoftwareVersion: "1\.0\.0" → "2\.0\.0"\n/);
  assert.equal((await findConnector(operator, "changing")).facts?.softwareVersion, "1.0.0");
  const { before, after } = await refreshConnector(operator, "changing", signer);
  const lines = factsChangeLines(before.facts, after.facts ?? exampleFacts);
  assert.ok(lines.includes("idempotencyWindowSeconds: not stated → 86400"), lines.join("\n"));
  assert.partialDeepStrictEqual(after.terms, {
    refunds: "FULL",
    quietSeconds: 30,
    demandsRegistration: true,
    captures: "ONE",
    holdSeconds: 3_600,
  });
  const [row] = await findAudit(operator, {}, 1);
  assert.partialDeepStrictEqual(row, {
    act: "connector refresh",
    before: { facts: { softwareVersion: "1.0.0" }, captures: "MANY" },
    after: { facts: { softwareVersion: "2.0.0" }, captures: "ONE" },
  });
});

test("a provider that is unreachable, unknown to the key, or of another version is rejected with what to do", async () => {
  const provider = await startProvider("odd");
  const rejects = (settings: NewConnector, message: RegExp): Promise<void> =>
    assert.rejects(requestFactsOfNew(operator, settings, signer), message);
  await rejects(
    settingsFor(provider, { url: "http://127.0.0.1:9" }),
    /did not state its facts: No trustworthy response .* There is no response from 127\.0\.0\.1:9/,
  );
  const other = await startProvider("other");
  await rejects(
    settingsFor(provider, { publicKeyFile: other.publicKeyFile }),
    /did not state its facts: The signature does not match the provider's public key/,
  );
  provider.facts = failureResponse("NO_INTERFACE_DEF");
  await rejects(
    settingsFor(provider),
    /does not serve \/provider\/1\.1\/facts\. This gateway speaks provider protocol 1\.1 only/,
  );
  state(provider, { protocolVersion: "2.0" });
  await rejects(
    settingsFor(provider),
    /odd speaks version 2\.0 of the provider protocol, and this gateway only 1\.1\. Install a version/,
  );
});

for (const [field, facts] of Object.entries({
  refunds: { refunds: "SOMETIMES" },
  softwareVersion: { softwareVersion: 7 },
  "currencies.0.currency": { currencies: [{ currency: "euro" }] },
  "queries.1": { queries: ["order", "weather"] },
  holdSeconds: { holdSeconds: 0 },
  callbacks: { callbacks: undefined },
  quietSeconds: { enforcesNotAfter: false },
})) {
  test(`wrong facts are rejected with the name of the field: ${field}`, () => {
    const value = JSON.parse(JSON.stringify({ ...exampleFacts, ...facts })) as unknown;
    const message = new RegExp(`^The facts of odd are wrong: ${field.replaceAll(".", "\\.")} `);
    assert.throws(() => readFacts(value, "odd"), { message });
  });
}

test("unknown fields of the facts are ignored", () => {
  const facts: ProviderFacts = readFacts({ ...exampleFacts, colour: "blue" }, "odd");
  assert.deepEqual(facts, exampleFacts);
});

test("PostgreSQL rejects facts of an unknown form, and facts without a time", async () => {
  const update = (assignment: string): Promise<unknown> =>
    asSuperuser(`update connectors set ${assignment} where name = 'stating'`, [], database.superuserUrl);
  await assert.rejects(
    update(`facts = facts || '{"refunds":"SOMETIMES"}'`),
    /connectors_facts_are_of_a_known_form/,
  );
  await assert.rejects(update("facts = facts - 'queries'"), /connectors_facts_are_of_a_known_form/);
  await assert.rejects(update("facts_at = null"), /connectors_facts_have_a_time/);
});
