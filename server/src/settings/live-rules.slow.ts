import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { newKeyPair, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { staffVariables } from "../../test/start/test-console.ts";
import { waitForLine, startTestProcess, type TestProcess } from "../../test/start/test-process.ts";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { liveProblems } from "./live-rules.ts";
import { readSettings } from "./settings.ts";

const liveGateway = await prepareTestGateway("live");
const sandbox = await prepareTestGateway("sandbox");

/** Starts `serve` as an operator does, with changed environment variables. */
function start(variables: Readonly<Record<string, string>>, options: readonly string[] = []): TestProcess {
  return startTestProcess([...options, "server/src/main.ts", "serve"], {
    ...liveGateway.variables,
    ...variables,
  });
}

async function refusal(started: TestProcess): Promise<string> {
  await started.exited;
  assert.equal(started.child.exitCode, 1, started.stderr());
  return started.stderr();
}

const remoteDatabaseUrl =
  liveGateway.variables["TOLLGATE_DATABASE_URL"]?.replace("127.0.0.1", "db.invalid") ?? "";

describe("live does not start", { concurrency: 3 }, () => {
  for (const [description, variables, sentence] of [
    [
      "with an unencrypted connection to the database",
      { TOLLGATE_DATABASE_URL: remoteDatabaseUrl },
      /no sslmode=verify-full/,
    ],
    [
      "with the owner's login in reach",
      { TOLLGATE_OWNER_DATABASE_URL: liveGateway.database.ownerUrl },
      /TOLLGATE_OWNER_DATABASE_URL is set/,
    ],
    [
      "when notifications may go to the own machine",
      { TOLLGATE_EGRESS_LOOPBACK: "allow" },
      /TOLLGATE_EGRESS_LOOPBACK is set/,
    ],
    [
      "with the sandbox's control secret, which opens universes",
      { TOLLGATE_CONTROL_SECRET_FILE: "/etc/tollgate/control-secret" },
      /TOLLGATE_CONTROL_SECRET_FILE is set/,
    ],
    [
      "with a portal without TLS",
      { TOLLGATE_CONSOLE_ORIGINS: "http://portal.example" },
      /TOLLGATE_CONSOLE_ORIGINS has an origin without TLS/,
    ],
    [
      "with an unencrypted connection for the console",
      { TOLLGATE_CONSOLE_DATABASE_URL: remoteDatabaseUrl },
      /TOLLGATE_CONSOLE_DATABASE_URL leads over a network/,
    ],
    [
      "with the login of the operator console, which is for serve-staff alone",
      { TOLLGATE_STAFF_DATABASE_URL: liveGateway.database.staffUrl },
      /only `tollgate serve-staff` may hold the login/,
    ],
    [
      "with an inspector by its environment",
      { NODE_OPTIONS: "--inspect=127.0.0.1:0" },
      /The inspector is open/,
    ],
  ] as const) {
    test(description, async () => {
      const errorText = await refusal(start(variables));
      assert.match(errorText, /^This process must not run here:\n {2}\S.*\.\n$/m);
      assert.match(errorText, sentence);
    });
  }

  test("serve-staff with an unencrypted connection to the database, or with an open inspector", async () => {
    const staffVariablesOf = { ...liveGateway.variables, ...staffVariables(liveGateway.database) };
    const startStaff = (variables: Readonly<Record<string, string>>): TestProcess =>
      startTestProcess(["server/src/main.ts", "serve-staff"], { ...staffVariablesOf, ...variables });
    const url = liveGateway.database.staffUrl.replace("127.0.0.1", "db.invalid");
    const errorText = await refusal(startStaff({ TOLLGATE_STAFF_DATABASE_URL: url }));
    assert.match(errorText, /TOLLGATE_STAFF_DATABASE_URL leads over a network/);
    const inspected = startStaff({ NODE_OPTIONS: "--inspect=127.0.0.1:0" });
    assert.match(await refusal(inspected), /The inspector is open/);
  });

  test("with an inspector on its command line", async () => {
    assert.match(await refusal(start({}, ["--inspect=127.0.0.1:0"])), /The inspector is open/);
  });

  test("on a database to which every login may connect", async () => {
    const { database, variables } = await prepareTestGateway("live");
    const name = new URL(database.superuserUrl).pathname.slice(1);
    await asSuperuser(`grant connect on database ${name} to public`);
    assert.match(
      await refusal(start(variables)),
      /Every login \(public\) has connect on the database\. Run `revoke /,
    );
  });

  test("with providers that are simulators, or that are called without TLS", async () => {
    const { database, variables } = await prepareTestGateway("live");
    const { publicKeyFile } = await newKeyPair("provider");
    const connectorFields = {
      partnerId: "tollgate",
      publicKeyFile,
      paymentMethodTypes: ["*"],
      simulator: false,
    };
    await addConnector(database.ownerUrl, "live", {
      ...connectorFields,
      name: "good",
      url: "https://provider.example",
    });
    await addConnector(database.ownerUrl, "live", {
      ...connectorFields,
      name: "side-car",
      url: "http://127.0.0.1:9000",
    });
    await asSuperuser(
      `insert into connectors (name, url, partner_id, public_key, gateway_key_version, payment_method_types, simulator)
       select 'clear', 'http://provider.example', partner_id, public_key, gateway_key_version, '{A}', false
       from connectors where name = 'good'`,
      [],
      database.superuserUrl,
    );
    const errorText = await refusal(start(variables));
    assert.match(
      errorText,
      /:\n {2}The connector clear: http:\/\/provider\.example must use https in live, .*\n$/,
    );

    await asSuperuser(
      "update connectors set url = 'https://w.example', simulator = true where name = 'clear'",
      [],
      database.superuserUrl,
    );
    assert.match(await refusal(start(variables)), /:\n {2}The connector clear is a simulator\.\n$/);
  });
});

test("live connects to its database with verified TLS, by a socket, or within the machine", async () => {
  const accepts = (url: string): boolean =>
    liveProblems(readSettings({ TOLLGATE_ENVIRONMENT: "live", TOLLGATE_DATABASE_URL: url })).length === 0;
  for (const url of [
    "postgres://serve:x@db.example/live?sslmode=verify-full",
    "postgres://serve:x@127.0.0.1:5432/live",
    "postgres://serve:x@[::1]/live",
    "postgres://serve:x@localhost/live",
    "postgres://serve@/live?host=/var/run/postgresql",
    "postgres://serve@%2Fvar%2Frun%2Fpostgresql/live",
    "socket:/var/run/postgresql?db=live",
    "/var/run/postgresql live",
  ])
    assert.ok(accepts(url), url);
  for (const url of [
    "postgres://serve:x@db.example/live",
    "postgres://serve:x@db.example/live?sslmode=verify-ca",
    "postgres://serve:x@db.example/live?sslmode=disable",
    "postgres://serve:x@10.0.0.5/live?ssl=true",
    "postgres://serve:x@localhost.example/live",
    "postgres://serve:x@127.0.0.1/live?host=db.example",
    "postgres://serve:x@localhost/live?host=10.0.0.5",
    "postgres://serve:x@127.0.0.1.example/live",
  ])
    assert.ok(!accepts(url), url);
  assert.match(await waitForLine(start({}), /^Tollgate /), /serves live/);
});

test("the sandbox starts with all of these", async () => {
  const started = startTestProcess(
    ["--inspect=127.0.0.1:0", "server/src/main.ts", "serve"],
    sandbox.operatorVariables,
  );
  assert.match(await waitForLine(started, /^Tollgate /), /serves sandbox/);
});
