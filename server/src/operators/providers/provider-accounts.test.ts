import assert from "node:assert/strict";
import { test } from "node:test";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newKeyPair, newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";
import { findAudit } from "../audit/audit-log.ts";
import { readCommandLine } from "../framework/command-line.ts";
import { findMerchant } from "../merchants/merchant-settings.ts";
import { addConnector, changeConnector, findConnector } from "./connector-settings.ts";
import { findProviderAccounts, setProviderAccount } from "./provider-accounts.ts";

/** Accounts of merchants in live. Ada and Grace are operators, Sam is in support. Each has a database login. */
const { database, operatorVariables } = await prepareTestGateway("live");
Object.assign(process.env, operatorVariables);
const { clientId } = await newMerchant(database);
const people = { ada: "operator", grace: "operator", sam: "support" } as const;
type Person = keyof typeof people;
const { urlOf } = await createStaffLogins(database, people);
const owner = { url: database.ownerUrl, environment: "live" } as const;
const { publicKeyFile } = await newKeyPair("acquirer");
const acquirer = {
  name: "acquirer",
  url: "https://acquirer.example",
  partnerId: "us",
  publicKeyFile,
  paymentMethodTypes: ["CARD"],
  simulator: false,
  terms: { accounts: "optional" },
} as const;
await addConnector(owner.url, "live", acquirer);
await addConnector(owner.url, "live", { ...acquirer, name: "plain", terms: {} });

/** Runs a command with this person's login. */
async function run(person: Person, ...args: readonly string[]): Promise<void> {
  process.env["TOLLGATE_OWNER_DATABASE_URL"] = urlOf(person);
  const commandLine = readCommandLine([...args, "--as", person, "--reason", "a test"], operatorCommands);
  assert.ok(commandLine.action === "run");
  await operatorCommands[commandLine.name]?.run(commandLine.args);
}

/** Runs a command of Ada with the approval of Grace. */
async function runApproved(...args: readonly string[]): Promise<void> {
  let requestId = "";
  await assert.rejects(run("ada", ...args), ({ message }) => {
    requestId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return message.startsWith("In live this needs an approval");
  });
  await run("grace", "approval", "approve", requestId);
  await run("ada", ...args);
}

async function accountOf(connector: string): Promise<string | undefined> {
  const { providerAccounts } = await findMerchant(owner, clientId);
  return providerAccounts.find((each) => each.connector === connector)?.account;
}

const set = ["connector", "account", "set", "acquirer", clientId] as const;
const remove = ["connector", "account", "remove", "acquirer", clientId] as const;

test("an account is set, changed and removed only with another person's approval", async () => {
  await runApproved(...set, "acct_1");
  assert.equal(await accountOf("acquirer"), "acct_1");
  await runApproved(...set, "acct_2");
  assert.equal(await accountOf("acquirer"), "acct_2");
  const [entry] = await findAudit(owner, { act: "connector account set" }, 1);
  assert.partialDeepStrictEqual(entry, {
    subject: "acquirer",
    clientId,
    before: { account: "acct_1" },
    after: { account: "acct_2" },
  });
  await runApproved(...remove);
  assert.equal(await accountOf("acquirer"), undefined);
});

test("an account is not changed by SQL without an approval", async () => {
  const key = `${bucketOf(clientId)}, '${clientId}', 'acquirer'`;
  const insert = `insert into provider_accounts (bucket, client_id, connector, account) values (${key}, 'acct_sql')`;
  const scope = `select set_config('app.clients', '{${clientId}}', false)`;
  await assert.rejects(asSuperuser(`${scope}; begin; ${insert}; commit`, [], urlOf("ada")), {
    constraint: "changes_need_approval",
  });
  await assert.rejects(asSuperuser(`${scope}; begin; ${insert}; commit`, [], urlOf("sam")), {
    message: /permission denied/,
  });
  assert.equal(await accountOf("acquirer"), undefined);
});

test("a key, an unknown connector or merchant, and a connector without accounts are rejected", async () => {
  const setAs = (connector: string, account: string, client = clientId): Promise<unknown> =>
    setProviderAccount({ ...owner, by: { alone: true } }, { connector, clientId: client, account });
  await assert.rejects(setAs("acquirer", "sk_live_51H8abcdEXAMPLE"), { message: /looks like a key/ });
  await assert.rejects(setAs("acquirer", "two words"), { message: /without spaces/ });
  await assert.rejects(setAs("nowhere", "acct_1"), { message: /no connector nowhere/ });
  await assert.rejects(setAs("acquirer", "acct_1", "LIVE_NOBODY"), { message: /LIVE_NOBODY/ });
  await assert.rejects(setAs("plain", "acct_1"), { message: /--accounts optional/ });
});

test("accounts are listed by connector and by merchant", async () => {
  await runApproved(...set, "acct_3");
  const filters = [
    { clientId: undefined, connector: undefined },
    { clientId, connector: undefined },
    { clientId: undefined, connector: "acquirer" },
  ];
  for (const filter of filters) {
    const accounts = await findProviderAccounts({ ...owner, url: urlOf("sam") }, { ...filter, limit: 10 });
    assert.deepEqual(
      accounts.map((each) => [each.clientId, each.connector, each.account]),
      [[clientId, "acquirer", "acct_3"]],
    );
  }
  const none = await findProviderAccounts(owner, { clientId: undefined, connector: "plain", limit: 10 });
  assert.deepEqual(none, []);
});

test("a connector that has used accounts cannot return to `none`, and connectors of one method know each other", async () => {
  const message = /its orders keep them/;
  await assert.rejects(changeConnector(owner, "acquirer", { terms: { accounts: "none" } }), { message });
  await assert.rejects(addConnector(owner.url, "live", { ...acquirer, terms: {} }), { message });
  await changeConnector(owner, "acquirer", { terms: { accounts: "required", priority: 200 } });
  const { terms, sharedMethods } = await findConnector(owner, "acquirer");
  assert.partialDeepStrictEqual(terms, { accounts: "required", priority: 200 });
  assert.deepEqual(sharedMethods, [{ paymentMethodType: "CARD", connectors: ["plain", "acquirer"] }]);
});
