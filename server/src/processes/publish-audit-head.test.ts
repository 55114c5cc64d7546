import assert from "node:assert/strict";
import { after, test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";
import { startClock } from "../core/clock.ts";
import { listGatewayKeys } from "../keys/gateway-key.sql.ts";
import { openDatabase, systemScope } from "../postgres/database.ts";
import { databaseTimeMs } from "../postgres/time.sql.ts";
import { openSigner } from "../signing/gateway-keys.ts";
import { readWrappingKeys } from "../signing/wrapping-keys.ts";
import { readAnchors } from "../operators/audit/audit-anchors.ts";
import { findAuditHead, parsePublicKeys, verifyAudit } from "../operators/audit/audit-log.ts";
import { readCommandLine } from "../operators/framework/command-line.ts";
import { addGatewayKey, findGatewayKeys, allPublicKeys } from "../operators/providers/manage-gateway-keys.ts";
import { operatorCommands } from "./operator-commands.ts";
import { setRequestLogRetention } from "../operators/merchants/request-log-retention.ts";
import { newAuditHeadPublisher } from "./publish-audit-head.ts";

/** These tests have the worker's own login, its signer and its log, with a chain of a few rows. */
const { database, variables } = await prepareTestGateway("sandbox");
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
for (const days of [40, 41, 42]) await setRequestLogRetention(operator, days);
const worker = openDatabase({
  url: database.workUrl,
  applicationName: "test",
  connectionsMax: 2,
  onFault: () => undefined,
});
after(() => worker.close());
const tx = worker.reader(systemScope);
const wrappingKeys = await readWrappingKeys(variables["TOLLGATE_KEY_FILE"] ?? "");
const signer = await openSigner(() => listGatewayKeys(tx), wrappingKeys, "sandbox");
const clock = await startClock({
  monotonicMs: () => performance.now(),
  databaseMs: () => databaseTimeMs(tx),
  onJump: () => undefined,
});
const lines: string[] = [];
const log = {
  info: (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, msg: message })),
};
const publish = newAuditHeadPublisher({ database: worker, signer, clock }, "sandbox", log);

/** Returns the findings of `audit verify` with this anchor file, as the command's own options read it. */
async function findings(file: string, gatewayKey?: string): Promise<readonly string[]> {
  const commandLine = readCommandLine(["audit", "verify", "--anchors", file], operatorCommands);
  assert.ok(commandLine.action === "run");
  const keys = gatewayKey === undefined ? undefined : parsePublicKeys(gatewayKey);
  const { problems } = await verifyAudit(operator, await readAnchors(commandLine.args), keys);
  return problems.map(({ problem }) => problem);
}

test("a worker logs the signed audit head, and its log is a valid file of anchors", async () => {
  await publish();
  await setRequestLogRetention(operator, 43);
  await publish();
  const { count, hash } = await findAuditHead(operator);
  assert.match(lines.at(-1) ?? "", new RegExp(`"auditHead":"${count}:${hash}:\\d+:1:[\\w-]{342}"`));
  const otherLogLine = '{"level":30,"msg":"tollgate work starts."}';
  const file = writeTestFile(
    "work.log",
    [otherLogLine, ...lines.map((line) => `Nov 17 host work: ${line}`)].join("\n"),
  );
  assert.deepEqual(await findings(file), []);
});

test("a truncated audit log is detected by the anchor, although the chain is intact", async () => {
  const file = writeTestFile("cut.log", lines.join("\n"));
  const { count } = await findAuditHead(operator);
  const run = (text: string): Promise<unknown> => asSuperuser(text, [], database.superuserUrl);
  await run("create table kept as select * from audit order by seq desc limit 1");
  await run("alter table audit disable trigger all");
  await run("delete from audit where seq = (select seq from kept)");
  assert.deepEqual(await findings(file), [
    `This is the last row, but the anchor has ${count} rows: the log was truncated.`,
  ]);
  await run("insert into audit select * from kept");
  await run("alter table audit enable trigger all");
});

test("a forged or changed anchor is not signed by the gateway's key", async () => {
  const [, count = "", hash = "", rest = ""] =
    /"auditHead":"(\d+):(\w+):([^"]+)"/.exec(lines.at(-1) ?? "") ?? [];
  const isNotSigned = /^The anchor of \S+ is not signed by gateway key \d+\.$/;
  const earlier = await asSuperuser<{ hash: string }>(
    "select encode(hash, 'hex') as hash from audit where seq = 1",
    [],
    database.superuserUrl,
  );
  const changed = `1:${earlier[0]?.hash}:${rest}`;
  const otherTime = `${count}:${hash}:${rest.replace(/^\d+/, "1700000000")}`;
  const otherKey = `${count}:${hash}:${rest.replace(/:1:/, ":7:")}`;
  for (const text of [changed, otherTime, otherKey]) {
    const [problem = ""] = await findings(writeTestFile("made-up", text));
    assert.match(problem, isNotSigned, text);
  }
});

test("the separately stored public key is used, not the one in the database", async () => {
  const file = writeTestFile("kept.log", lines.join("\n"));
  assert.deepEqual(await findings(file, allPublicKeys(await findGatewayKeys(operator))), []);
  await addGatewayKey(database.ownerUrl, "sandbox", variables["TOLLGATE_KEY_FILE"] ?? "");
  const second = (await findGatewayKeys(operator)).filter(({ version }) => version === 2);
  const [problem = ""] = await findings(file, allPublicKeys(second));
  assert.match(problem, /is not signed by gateway key 1\.$/);
});
