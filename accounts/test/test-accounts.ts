import { generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { sha256 } from "../../server/src/core/digest.ts";
import { personKindOf, type Permission, type Role } from "../../server/src/people/role.ts";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import {
  accountsTemplate,
  asSuperuser,
  ownerRole,
  postgresVariable,
  rolePassword,
} from "../../server/test/start/test-database.ts";
import { stepAt, totpAt } from "../src/credentials/totp.ts";
import { newId } from "../src/new-id.ts";
import { serve } from "../src/serve.ts";
import type { Site } from "../src/people/site.ts";
import { readSettings } from "../src/settings.ts";
import { startSmtpServer, type SmtpServer } from "./smtp-server.ts";
import { newTestBrowser, type Answer, type TestBrowser } from "./test-browser.ts";

export interface TestAccounts {
  readonly url: string;
  /** The address of the operator console. */
  readonly operatorUrl: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly superuserUrl: string;
  readonly appUrl: string;
  readonly smtp: SmtpServer;
  readonly tokenPublicKey: KeyObject;
  now(): Date;
  /** `pass` advances the clock of accounts without waiting. */
  pass(ms: number): void;
  browser(site?: Site): TestBrowser;
  /** `sql` runs a statement as superuser. */
  sql<Row extends object>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** `startTestAccounts` starts accounts with its own database, mail server and clock, which stop with the test file. */
export async function startTestAccounts(more: Readonly<Record<string, string>> = {}): Promise<TestAccounts> {
  const smtp = await startSmtpServer();
  const { appUrl, ownerUrl, superuserUrl, drop } = await newAccountsDatabase();
  const { folder, tokenPublicKey } = await writeKeys();
  const port = await findFreePort();
  const url = more["ACCOUNTS_PUBLIC_URL"] ?? `http://localhost:${port}`;
  const operatorPort = await findFreePort();
  const operatorUrl = `http://localhost:${operatorPort}`;
  const variables = {
    ACCOUNTS_DATABASE_URL: appUrl,
    ACCOUNTS_OWNER_DATABASE_URL: ownerUrl,
    ACCOUNTS_KEY_FILE: join(folder, "wrapping.key"),
    ACCOUNTS_TOKEN_KEY_FILE: join(folder, "token.pem"),
    ACCOUNTS_PORT: String(port),
    ACCOUNTS_PUBLIC_URL: url,
    ACCOUNTS_OPERATOR_PORT: String(operatorPort),
    ACCOUNTS_OPERATOR_URL: operatorUrl,
    ACCOUNTS_SMTP_URL: smtp.url,
    ACCOUNTS_MAIL_FROM: "Tollgate <accounts@pay.example>",
    // Each browser of a test gets its own network address.
    ACCOUNTS_TRUSTED_PROXIES: "127.0.0.0/8",
    ACCOUNTS_LOG_LEVEL: "warn",
    ...more,
  };
  let aheadMs = 0;
  const now = (): Date => new Date(Date.now() + aheadMs);
  const serving = await serve(readSettings(variables), now);
  after(async () => {
    await serving.stop();
    smtp.close();
    await drop();
  });
  return {
    url,
    operatorUrl,
    variables,
    superuserUrl,
    appUrl,
    smtp,
    tokenPublicKey,
    now,
    pass(ms) {
      aheadMs += ms;
    },
    browser: (site = "portal") =>
      site === "portal"
        ? newTestBrowser({ url, through: serving.url })
        : newTestBrowser({ url: operatorUrl, through: serving.operatorUrl ?? "", site }),
    sql: (text, values) => asSuperuser(text, values, superuserUrl),
  };
}

interface AccountsDatabase {
  readonly appUrl: string;
  readonly ownerUrl: string;
  readonly superuserUrl: string;
  drop(): Promise<void>;
}

async function newAccountsDatabase(): Promise<AccountsDatabase> {
  const name = `accounts_${randomBytes(8).toString("hex")}`;
  const app = `${name}_app`;
  const urlOf = (role?: string): string => {
    const url = new URL(process.env[postgresVariable] ?? "");
    url.pathname = `/${name}`;
    if (role) Object.assign(url, { username: role, password: rolePassword });
    return url.href;
  };
  await asSuperuser(
    `create database ${name} template ${accountsTemplate} strategy file_copy owner ${ownerRole}`,
  );
  await asSuperuser(`create role ${app} login password '${rolePassword}' in role tollgate_accounts`);
  return {
    appUrl: urlOf(app),
    ownerUrl: urlOf(ownerRole),
    superuserUrl: urlOf(),
    async drop() {
      await asSuperuser(`drop database ${name} with (force)`);
      await asSuperuser(`drop role ${app}`);
    },
  };
}

async function writeKeys(): Promise<{ readonly folder: string; readonly tokenPublicKey: KeyObject }> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-accounts-"));
  after(() => rm(folder, { recursive: true, force: true }));
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await writeFile(join(folder, "token.pem"), pem, { mode: 0o400 });
  await writeFile(join(folder, "wrapping.key"), randomBytes(32).toString("base64"), { mode: 0o400 });
  return { folder, tokenPublicKey: publicKey };
}

export interface TestPerson {
  readonly browser: TestBrowser;
  readonly email: string;
  readonly password: string;
  /** `code` returns an unused code and advances the clock to its time step. */
  code(): string;
}

let people = 0;

/** `registerPerson` returns an owner who has registered, opened the link, set up a password with codes, and signed in. */
export async function registerPerson(accounts: TestAccounts, name = "Ada Byron"): Promise<TestPerson> {
  people += 1;
  const email = `person-${people}@shop-${randomBytes(4).toString("hex")}.example`;
  const browser = accounts.browser();
  await browser.post("/accounts/register", { email, name, organisation: `Shop ${people}` });
  const token = linkTokenIn((await accounts.smtp.emailTo(email)).text);
  await browser.post("/accounts/verify-email", { token });
  return { email, browser, ...(await setUpPassword(accounts, browser)) };
}

export async function setUpPassword(
  accounts: TestAccounts,
  browser: TestBrowser,
): Promise<Pick<TestPerson, "password" | "code">> {
  const password = `correct horse ${randomBytes(6).toString("hex")}`;
  const { json } = await browser.post("/accounts/password/begin", { password });
  const secret = fromBase32(String(json["secret"]));
  const code = (): string => {
    accounts.pass(30_000);
    return totpAt(secret, stepAt(accounts.now()));
  };
  await browser.post("/accounts/password/confirm", { code: code() });
  return { password, code };
}

export async function stepUp({ browser, password, code }: TestPerson): Promise<void> {
  await browser.post("/accounts/step-up/password", { password, code: code() });
}

/** `linkTokenIn` returns the token after the `#` of the link in an email. */
export function linkTokenIn(text: string): string {
  const token = /#([\w-]{43})/.exec(text)?.[1];
  if (!token) throw new Error(`No link in the email: ${text}`);
  return token;
}

export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  ).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export interface GivenMember {
  readonly role: Role;
  readonly organisationId?: string;
  readonly method?: "link" | "recovery" | "passkey" | "password";
  readonly steppedUpAgoMs?: number;
  /** Time since the member joined (default two days). */
  readonly joinedAgoMs?: number;
}

const twoDaysMs = 48 * 3_600_000;

/**
 * `givenMember` inserts a member of an organisation with an open session by SQL, for tests that begin after the
 * sign-in.
 */
export async function givenMember(
  accounts: TestAccounts,
  {
    role,
    organisationId = newId("org"),
    method = "passkey",
    steppedUpAgoMs,
    joinedAgoMs = twoDaysMs,
  }: GivenMember,
): Promise<{ readonly browser: TestBrowser; readonly personId: string; readonly organisationId: string }> {
  const personId = newId("per");
  const token = randomBytes(32).toString("base64url");
  const now = accounts.now();
  const steppedUpAt = steppedUpAgoMs === undefined ? null : new Date(now.getTime() - steppedUpAgoMs);
  const kind = personKindOf(role);
  const site = kind === "staff" ? "operator" : "portal";
  const name = kind === "staff" ? "Operators" : "Shop";
  const [staff] = await accounts.sql<{ organisation_id: string }>(
    "select organisation_id from organisations where kind = 'staff' and kind = $1",
    [kind],
  );
  const memberOrganisationId = staff?.organisation_id ?? organisationId;
  await accounts.sql(
    "insert into organisations (organisation_id, kind, name, created_at) values ($1, $2, $3, $4) on conflict do nothing",
    [memberOrganisationId, kind, name, now],
  );
  await accounts.sql("insert into people (person_id, email, name, created_at) values ($1, $2, 'Eve', $3)", [
    personId,
    `${personId.toLowerCase()}@shop.example`,
    now,
  ]);
  await accounts.sql(
    "insert into memberships (organisation_id, person_id, role, since) values ($1, $2, $3, $4)",
    [memberOrganisationId, personId, role, new Date(now.getTime() - joinedAgoMs)],
  );
  await accounts.sql(
    `insert into sessions (session_id, token_hash, person_id, organisation_id, method, created_at, seen_at,
       stepped_up_at, network, browser, door) values ($1, $2, $3, $4, $5, $6, $6, $7, '127.0.0.1', 'test', $8)`,
    [newId("ses"), sha256(token), personId, memberOrganisationId, method, now, steppedUpAt, site],
  );
  const browser = accounts.browser(site);
  browser.useToken(token);
  return { browser, personId, organisationId: memberOrganisationId };
}

/**
 * `postApproved` sends a request that needs approval: one person requests it, another approves it, and the first
 * completes it.
 */
export async function postApproved(
  { requester, approver }: { readonly requester: TestBrowser; readonly approver: TestBrowser },
  permission: Permission,
  path: string,
  body: object,
): Promise<Answer> {
  const approvalRequest = await requester.post("/accounts/approvals", {
    environment: "live",
    permission,
    act: `POST ${path}`,
    request: body,
    reason: "As we agreed.",
  });
  const approvalId = String(approvalRequest.json["approvalId"]);
  await approver.post("/accounts/approvals/confirm", { approvalId });
  return requester.post(path, body, { approval: approvalId });
}
