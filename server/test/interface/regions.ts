import assert from "node:assert/strict";
import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { checked, type Statement } from "./statement.ts";
import type { PayingEnvironment, TestEnvironments } from "./test-environments.ts";
import { pathOf, send, signedHeaders, writeTestFile } from "../start/test-gateway.ts";
import { payRequest, inStorePayRequest } from "../start/test-stack.ts";

interface Host {
  readonly region: string;
  readonly host: string;
  readonly serves: string;
  readonly standing: string;
}

/** The hosts as an operator issues them. */
const issuedHosts: readonly Host[] = [
  { region: "NORTH_AMERICA", host: "us.pay.example", serves: "UNITED_STATES", standing: "RECOMMENDED" },
  { region: "NORTH_AMERICA", host: "na.pay.example", serves: "ELSEWHERE", standing: "RECOMMENDED" },
  { region: "NORTH_AMERICA", host: "na2.pay.example", serves: "ELSEWHERE", standing: "ALTERNATIVE" },
  { region: "ASIA", host: "asia.pay.example", serves: "ALL", standing: "RECOMMENDED" },
  { region: "ASIA", host: "old-asia.pay.example", serves: "ALL", standing: "ALTERNATIVE" },
  { region: "EUROPE", host: "eu.pay.example", serves: "ALL", standing: "RECOMMENDED" },
  { region: "EUROPE", host: "eu-stores.pay.example", serves: "IN_STORE", standing: "ALTERNATIVE" },
];

export const regionStatements: readonly Statement[] = [
  hostStatement("1.37", "the base URL is a host name of a region", (hosts) =>
    assert.ok(hosts.length > 0 && hosts.every(({ region, host }) => region && host)),
  ),
  checked("1.38", "the provider issues that host name", async ({ sandbox }) => {
    assert.deepEqual(await hostsWith(sandbox, issuedHosts), issuedHosts);
    assert.deepEqual(await hostsWith(sandbox, issuedHosts.slice(0, 1)), issuedHosts.slice(0, 1));
  }),
  hostStatement("1.39", "North America is a region", (hosts) => assert.ok(hosts.some(isIn("NORTH_AMERICA")))),
  hostStatement("1.40", "Asia is a region", (hosts) => assert.ok(hosts.some(isIn("ASIA")))),
  hostStatement("1.41", "Europe is a region", (hosts) => assert.ok(hosts.some(isIn("EUROPE")))),
  hostStatement("1.42", "North America has a host for merchants in the United States", (hosts) =>
    assert.equal(hosts.filter(isIn("NORTH_AMERICA", { serves: "UNITED_STATES" })).length, 1),
  ),
  hostStatement("1.43", "North America has hosts for all other merchants", (hosts) =>
    assert.ok(hosts.filter(isIn("NORTH_AMERICA", { serves: "ELSEWHERE" })).length > 1),
  ),
  hostStatement("1.44", "Asia has a recommended host", (hosts) =>
    assert.equal(hosts.filter(isIn("ASIA", { standing: "RECOMMENDED" })).length, 1),
  ),
  hostStatement("1.45", "Asia has an older host as an alternative", (hosts) =>
    assert.equal(hosts.filter(isIn("ASIA", { standing: "ALTERNATIVE" })).length, 1),
  ),
  hostStatement("1.46", "Europe has a recommended host", (hosts) =>
    assert.equal(hosts.filter(isIn("EUROPE", { standing: "RECOMMENDED" })).length, 1),
  ),
  hostStatement("1.47", "Europe has a second host", (hosts) =>
    assert.equal(hosts.filter(isIn("EUROPE")).length, 2),
  ),
  checked("1.48", "the second European host serves in-store payments only", async ({ sandbox }) => {
    await withHosts(sandbox, issuedHosts, async (url) => {
      const online = await payAt(sandbox, url, "eu-stores.pay.example", payRequest("at-the-stores-host"));
      assert.equal(online, "ACCESS_DENIED");
      const till = inStorePayRequest("at-the-stores-host", "OrderCode");
      assert.equal(await payAt(sandbox, url, "eu-stores.pay.example", till), "SUCCESS");
    });
  }),
  checked("1.49", "the caller picks the host for its region", async ({ sandbox }) => {
    await withHosts(sandbox, issuedHosts, async (url) => {
      for (const { host, serves } of issuedHosts) {
        if (serves === "IN_STORE") continue;
        const code = await payAt(sandbox, url, host, payRequest(`picked-${host}`));
        assert.equal(code, "PAYMENT_IN_PROCESS", host);
      }
    });
  }),
  hostStatement("1.50", "the caller learns the host names from the provider", (hosts) =>
    assert.deepEqual(
      hosts.map(({ host }) => host),
      issuedHosts.map(({ host }) => host),
    ),
  ),
];

function isIn(region: string, more: Partial<Host> = {}): (host: Host) => boolean {
  return (host) =>
    host.region === region &&
    (more.serves ?? host.serves) === host.serves &&
    (more.standing ?? host.standing) === host.standing;
}

/** `hostStatement` creates a statement that is checked by responses of the gateway itself. */
function hostStatement(number: string, says: string, check: (hosts: readonly Host[]) => void): Statement {
  return checked(number, says, async ({ sandbox }: TestEnvironments) =>
    check(await hostsWith(sandbox, issuedHosts)),
  );
}

async function hostsWith(side: PayingEnvironment, list: readonly Host[]): Promise<readonly Host[]> {
  return withHosts(side, list, async (url) => {
    const { hosts } = (await (await fetch(`${url}/service`)).json()) as { hosts: readonly Host[] };
    return hosts;
  });
}

async function withHosts<Value>(
  { gateway }: PayingEnvironment,
  list: readonly Host[],
  work: (url: string) => Promise<Value>,
): Promise<Value> {
  const file = writeTestFile("hosts.json", JSON.stringify(list));
  const hostVariables = { TOLLGATE_HOSTS_FILE: file, TOLLGATE_PORT: "0", TOLLGATE_LOG_LEVEL: "silent" };
  const serving = await serve(readSettings({ ...gateway.variables, ...hostVariables }));
  try {
    return await work(serving.url);
  } finally {
    await serving.stop();
  }
}

async function payAt(
  { merchant }: PayingEnvironment,
  url: string,
  host: string,
  request: object,
): Promise<string> {
  const sent = { path: pathOf("sandbox", "payments/pay"), body: JSON.stringify(request) };
  const answer = await send(url, { ...sent, headers: { ...signedHeaders(merchant, sent), host } });
  return answer.json.result["resultCode"] ?? "";
}
