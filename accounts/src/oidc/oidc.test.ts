import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "../../../server/src/postgres/throw-away.ts";
import { lineOf, startTestProcess } from "../../../server/test/start/test-process.ts";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";

const providerPort = await freePort();
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
/** The operator's door: it is its own people whom the provider knows. */
const url = accounts.operatorUrl;
const provider = startTestProcess(
  ["accounts/test/oidc-server.ts", String(providerPort), "tollgate", secret, `${url}/accounts/oidc/return`],
  {},
);
await lineOf(provider, /listens/);

/** A browser that keeps cookies by host, and follows nobody by itself. */
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

/** Types a name at the provider, agrees, and comes to the address that the provider sends the browser back to. */
async function passProvider(jar: Jar, start: string, name: string): Promise<string> {
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
  const back = await passProvider(jar, String(start), name);
  const { to } = await jar.go(back);
  return { jar, to };
}

const me = async (jar: Jar): Promise<Readonly<Record<string, unknown>>> => {
  const { response } = await jar.go(`${url}/accounts/me`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
};

/** Staff, or a merchant's person, whom somebody has invited and who has no credential here. */
async function invited(email: string, role: "staff-operator" | "owner" = "staff-operator"): Promise<string> {
  const { personId } = await givenMember(accounts, { role });
  await accounts.sql("update people set email = $1 where person_id = $2", [email, personId]);
  return personId;
}

test("staff come in by their own identity provider, with the role that they have here, and step up there", async () => {
  const personId = await invited("ada@pay.example");
  const { jar, to } = await signIn("ada@pay.example");
  assert.equal(to, `${url}/`);
  assert.match((await accounts.smtp.letterTo("ada@pay.example")).text, /linked to the identity provider/);
  const shown = await me(jar);
  assert.equal(shown["method"], "oidc");
  assert.deepEqual((shown["person"] as { personId: string }).personId, personId);
  assert.equal(jar.jarOf(url).has("__Host-tollgate-operator-oidc"), false);
  assert.equal(
    (await jar.post("/accounts/token"))["refusal"],
    "INVALID_REQUEST",
    "a member, not PASSKEY_NEEDED",
  );

  const before = jar.jarOf(url).get("__Host-tollgate-operator");
  const { url: start } = await jar.post("/accounts/step-up/oidc");
  assert.match(String(start), /prompt=login/);
  const back = await passProvider(jar, String(start), "ada@pay.example");
  // The session's cookie is Strict, so it does not come along from another site.
  jar.jarOf(url).delete("__Host-tollgate-operator");
  await jar.go(back);
  assert.notEqual(jar.jarOf(url).get("__Host-tollgate-operator"), before);
  assert.ok((await me(jar))["steppedUpAt"]);

  // Somebody else at the same screen proves somebody else.
  await invited("grace@pay.example");
  jar.jarOf(issuer).clear();
  const { url: again } = await jar.post("/accounts/step-up/oidc");
  const other = await passProvider(jar, String(again), "grace@pay.example");
  assert.match((await jar.go(other)).to ?? "", /refused=OIDC_REFUSED/);
});

test("the subject counts, and not an address that passes to somebody else", async () => {
  const personId = await invited("kurt@pay.example");
  await signIn("kurt@pay.example");
  await accounts.sql("update people set email = 'kurt.g@pay.example' where person_id = $1", [personId]);
  const { jar } = await signIn("kurt@pay.example");
  assert.deepEqual(((await me(jar))["person"] as { email: string }).email, "kurt.g@pay.example");
});

test("who was not invited, whose address is not proven, or of another domain, does not come in", async () => {
  await invited("lise@shop.example", "owner");
  await invited("emmy@pay.example");
  for (const name of ["nobody@pay.example", "lise@shop.example", "unproven-emmy@pay.example"]) {
    const { jar, to } = await signIn(name);
    assert.match(to ?? "", /\/sign-in\?refused=OIDC_REFUSED$/, name);
    assert.equal((await me(jar))["refusal"], "NOT_SIGNED_IN", name);
  }
});

test("a return is good once, in the browser that began it, from this issuer alone", async () => {
  await invited("hedy@pay.example");
  const jar = newJar();
  const { url: start } = await jar.post("/accounts/sign-in/oidc");
  const back = await passProvider(jar, String(start), "hedy@pay.example");
  // Login CSRF: somebody sends a victim the address that ends a sign-in of their own.
  const victim = newJar();
  assert.match((await victim.go(back)).to ?? "", /refused/);
  const mixed = new URL(back);
  mixed.searchParams.set("iss", "https://evil.example");
  assert.match((await jar.go(mixed.href)).to ?? "", /refused/);
  jar.jarOf(url).set("__Host-tollgate-operator-oidc", new URL(back).searchParams.get("state") ?? "");
  assert.equal((await jar.go(back)).to, `${url}/`);
  jar.jarOf(url).set("__Host-tollgate-operator-oidc", new URL(back).searchParams.get("state") ?? "");
  assert.match((await jar.go(back)).to ?? "", /refused/);
});
