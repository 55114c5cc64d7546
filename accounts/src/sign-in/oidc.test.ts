import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { waitForLine, startTestProcess } from "../../../server/test/start/test-process.ts";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";

const providerPort = await findFreePort();
const issuer = `http://localhost:${providerPort}`;
const secret = "a client secret of the test, long enough";
const secretFile = join(tmpdir(), `tollgate-oidc-${providerPort}`);
after(() => rm(secretFile, { force: true }));
await writeFile(secretFile, `${secret}\n`, { mode: 0o600 });
const accounts = await startTestAccounts({
  ACCOUNTS_OIDC_ISSUER: issuer,
  ACCOUNTS_OIDC_CLIENT_ID: "tollgate",
  ACCOUNTS_OIDC_CLIENT_SECRET_FILE: secretFile,
  ACCOUNTS_OIDC_NAME: "Pay Example",
  ACCOUNTS_OIDC_DOMAINS: "pay.example",
});
/** The operator console, because the identity provider knows only staff. */
const url = accounts.operatorUrl;
const provider = startTestProcess(
  ["accounts/test/oidc-server.ts", String(providerPort), "tollgate", secret, `${url}/accounts/oidc/return`],
  {},
);
await waitForLine(provider, /listens/);

/** `newJar` is a browser that keeps cookies by host and does not follow redirects by itself. */
function newJar() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (address: string): Map<string, string> => {
    const { host } = new URL(address);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  return {
    jarOf,
    async go(address: string, form?: Record<string, string>, headers: Record<string, string> = {}) {
      const jar = jarOf(address);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(address, {
        redirect: "manual",
        headers: { ...headers, cookie },
        ...(form && { method: "POST", body: new URLSearchParams(form) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ""] = line.split(";");
        const at = pair.indexOf("=");
        if (pair.slice(at + 1) === "") jar.delete(pair.slice(0, at));
        else jar.set(pair.slice(0, at), pair.slice(at + 1));
      }
      const location = response.headers.get("location");
      return { response, to: location && new URL(location, address).href };
    },
    async post(path: string): Promise<Readonly<Record<string, unknown>>> {
      const jar = jarOf(url);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { cookie, origin: url, "content-type": "application/json" };
      const response = await fetch(url + path, { method: "POST", body: "{}", headers });
      for (const line of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
        jar.set(name, value);
        if (name.endsWith("oidc")) assert.match(line, /SameSite=Lax/);
        else assert.match(line, /SameSite=Strict/);
      }
      return (await response.json()) as Readonly<Record<string, unknown>>;
    },
  };
}

type Jar = ReturnType<typeof newJar>;

/** `signInAtProvider` types a name at the provider, gives consent, and returns the redirect URL. */
async function signInAtProvider(jar: Jar, start: string, name: string): Promise<string> {
  let at: string = start;
  for (let steps = 0; steps < 12; steps += 1) {
    if (at.startsWith(`${url}/accounts/oidc/return`)) return at;
    const { response, to } = await jar.go(at);
    if (to) at = to;
    else {
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "";
      const form = { prompt, ...(prompt === "login" && { login: name, password: "x" }) };
      at = (await jar.go(/action="([^"]+)"/.exec(page)?.[1] ?? at, form)).to ?? "";
    }
  }
  throw new Error(`The provider led nowhere: ${at}`);
}

async function signIn(
  name: string,
  jar = newJar(),
): Promise<{ readonly jar: Jar; readonly to: string | null }> {
  const { url: start } = await jar.post("/accounts/sign-in/oidc");
  const returnUrl = await signInAtProvider(jar, String(start), name);
  const { to } = await jar.go(returnUrl);
  return { jar, to };
}

const me = async (jar: Jar): Promise<Readonly<Record<string, unknown>>> => {
  const { response } = await jar.go(`${url}/accounts/me`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
};

/** `inviteMember` invites a staff member or a merchant's member who has no credential here. */
async function inviteMember(
  email: string,
  role: "staff-operator" | "owner" = "staff-operator",
): Promise<string> {
  const { personId } = await givenMember(accounts, { role });
  await accounts.sql("update people set email = $1 where person_id = $2", [email, personId]);
  return personId;
}

test("staff sign in and re-authenticate at their identity provider, with their role in accounts", async () => {
  const personId = await inviteMember("ada@pay.example");
  const { jar, to } = await signIn("ada@pay.example");
  assert.equal(to, `${url}/`);
  assert.match((await accounts.smtp.emailTo("ada@pay.example")).text, /linked to the identity provider/);
  const account = await me(jar);
  assert.equal(account["method"], "oidc");
  assert.deepEqual((account["person"] as { personId: string }).personId, personId);
  assert.equal(jar.jarOf(url).has("__Host-tollgate-operator-oidc"), false);
  assert.equal(
    (await jar.post("/accounts/token"))["refusal"],
    "INVALID_REQUEST",
    "a member, not PASSKEY_NEEDED",
  );

  const before = jar.jarOf(url).get("__Host-tollgate-operator");
  const { url: start } = await jar.post("/accounts/step-up/oidc");
  assert.match(String(start), /prompt=login/);
  const returnUrl = await signInAtProvider(jar, String(start), "ada@pay.example");
  // The session cookie is SameSite=Strict, so the browser does not send it with a request from another site.
  jar.jarOf(url).delete("__Host-tollgate-operator");
  await jar.go(returnUrl);
  assert.notEqual(jar.jarOf(url).get("__Host-tollgate-operator"), before);
  assert.ok((await me(jar))["steppedUpAt"]);

  // Another person at the same browser must not be able to re-authenticate this person's session.
  await inviteMember("grace@pay.example");
  jar.jarOf(issuer).clear();
  const { url: stepUpUrl } = await jar.post("/accounts/step-up/oidc");
  const other = await signInAtProvider(jar, String(stepUpUrl), "grace@pay.example");
  assert.match((await jar.go(other)).to ?? "", /refused=OIDC_REFUSED/);
});

test("the identity is the subject, not an address that can be reassigned", async () => {
  const personId = await inviteMember("kurt@pay.example");
  await signIn("kurt@pay.example");
  await accounts.sql("update people set email = 'kurt.g@pay.example' where person_id = $1", [personId]);
  const { jar } = await signIn("kurt@pay.example");
  assert.deepEqual(((await me(jar))["person"] as { email: string }).email, "kurt.g@pay.example");
});

test("people without invitation, with an unverified address or of another domain are rejected", async () => {
  await inviteMember("lise@shop.example", "owner");
  await inviteMember("emmy@pay.example");
  for (const name of ["nobody@pay.example", "lise@shop.example", "unproven-emmy@pay.example"]) {
    const { jar, to } = await signIn(name);
    assert.match(to ?? "", /\/sign-in\?refused=OIDC_REFUSED$/, name);
    assert.equal((await me(jar))["refusal"], "NOT_SIGNED_IN", name);
  }
});

test("a redirect from the provider is valid once, in the same browser, and from the same issuer", async () => {
  await inviteMember("hedy@pay.example");
  const jar = newJar();
  const { url: start } = await jar.post("/accounts/sign-in/oidc");
  const returnUrl = await signInAtProvider(jar, String(start), "hedy@pay.example");
  // Login CSRF: an attacker sends a victim the URL that completes the attacker's sign-in.
  const victim = newJar();
  assert.match((await victim.go(returnUrl)).to ?? "", /refused/);
  const mixedUp = new URL(returnUrl);
  mixedUp.searchParams.set("iss", "https://evil.example");
  assert.match((await jar.go(mixedUp.href)).to ?? "", /refused/);
  jar.jarOf(url).set("__Host-tollgate-operator-oidc", new URL(returnUrl).searchParams.get("state") ?? "");
  assert.equal((await jar.go(returnUrl)).to, `${url}/`);
  jar.jarOf(url).set("__Host-tollgate-operator-oidc", new URL(returnUrl).searchParams.get("state") ?? "");
  assert.match((await jar.go(returnUrl)).to ?? "", /refused/);
});

test("a wrong PKCE verifier or nonce fails the sign-in", async () => {
  await inviteMember("emil@pay.example");
  for (const column of ["code_verifier", "nonce"]) {
    const jar = newJar();
    const { url: start } = await jar.post("/accounts/sign-in/oidc");
    const returnUrl = await signInAtProvider(jar, String(start), "emil@pay.example");
    const attempts = await accounts.sql(`update oidc_attempts set ${column} = $1 returning begun_at`, [
      "another one, which has at least 43 characters as well",
    ]);
    assert.equal(attempts.length, 1);
    assert.match((await jar.go(returnUrl)).to ?? "", /refused=OIDC_REFUSED/, column);
    assert.equal((await me(jar))["refusal"], "NOT_SIGNED_IN");
  }
  const { to } = await signIn("emil@pay.example");
  assert.equal(to, `${url}/`);
});
