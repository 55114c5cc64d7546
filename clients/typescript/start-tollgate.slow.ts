import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import type { PayRequest } from "./src/generated/models.ts";
import { newRequestId } from "./src/request-id.ts";
import { startTollgate, type RunningTollgate, type StartedTollgate } from "./src/start-tollgate.ts";

/** The command that runs the sources of the command line, as `npx tollgate` runs the package. */
const command = `'${process.execPath}' '${join(import.meta.dirname, "../../cli/src/start.ts")}'`;
const [tollgate, twin] = await Promise.all([startTollgate({ command }), startTollgate({ command })]);
after(() => tollgate.stop());

function coffees(paymentRequestId: string): PayRequest {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId,
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
  };
}

async function pay({ client }: StartedTollgate): Promise<string> {
  const { paymentId = "" } = await client.payments.pay(coffees(newRequestId("test")));
  return paymentId;
}

test("a payment succeeds when the buyer approves, and fails when the buyer declines", async () => {
  const [paid, refused] = [await pay(tollgate), await pay(tollgate)];
  await tollgate.approve(paid);
  await tollgate.decline(refused);
  const final = tollgate.client.payments.waitForFinal;
  assert.equal((await final({ paymentId: paid })).paymentStatus, "SUCCESS");
  assert.equal((await final({ paymentId: refused })).paymentStatus, "FAIL");
  await assert.rejects(tollgate.approve("none"), /could not approve payment none/);
});

test("a second call and child processes share the gateway and do not stop it", async () => {
  const again = await startTollgate({ command: "false" });
  await Promise.all([again.stop(), twin.stop()]);
  assert.equal(twin.baseUrl, tollgate.baseUrl);
  assert.equal(again.baseUrl, tollgate.baseUrl);
  const worker = `
    import { startTollgate } from "${new URL("src/start-tollgate.ts", import.meta.url).href}";
    const shared = await startTollgate({ command: "false" });
    await shared.stop();
    console.log(shared.baseUrl);`;
  assert.equal((await runWorker(worker)).trim(), tollgate.baseUrl);
  assert.ok(await pay(tollgate));
});

test("each run on a running gateway has its own test merchant until it ends", async () => {
  const { baseUrl, controlSecret, ...others } = handed();
  const code = `
    import { existsSync } from "node:fs";
    import { startTollgate } from "${new URL("src/start-tollgate.ts", import.meta.url).href}";
    const [first, again] = [await startTollgate({ command: "false" }), await startTollgate({ command: "false" })];
    const { paymentId } = await first.client.payments.pay(${JSON.stringify(coffees("the-same-in-each-run"))});
    await first.approve(paymentId);
    const { paymentStatus } = await again.client.payments.waitForFinal({ paymentId });
    await again.stop();
    await first.stop();
    const refused = await first.client.payments.inquiryPayment({ paymentId }).catch((error) => error.code);
    const isKept = existsSync(first.variables.TOLLGATE_PRIVATE_KEY_FILE);
    console.log(JSON.stringify({ clientId: first.clientId, paymentStatus, refused, isKept }));`;
  const runs = await Promise.all([
    runWorker(code, {
      TOLLGATE_DEV: JSON.stringify({ ...others, baseUrl, controlSecret, isOfThisRun: false }),
    }),
    runWorker(code, { TOLLGATE_DEV: "", TOLLGATE_BASE_URL: baseUrl, TOLLGATE_CONTROL_SECRET: controlSecret }),
  ]);
  const ids = runs.map((said) => {
    const { clientId, ...facts } = JSON.parse(said) as Readonly<Record<string, unknown>>;
    assert.deepEqual(facts, { paymentStatus: "SUCCESS", refused: "INVALID_CLIENT_STATUS", isKept: false });
    return String(clientId);
  });
  assert.equal(new Set([...ids, tollgate.clientId]).size, 3);
  assert.ok(await pay(tollgate));
});

test("an unreachable configured gateway is an error; a stopped gateway is replaced", async () => {
  const { TOLLGATE_DEV: shared = "", ...others } = process.env;
  const { baseUrl, ...rest } = handed();
  const started = (variables: Readonly<Record<string, string>>): Promise<StartedTollgate> => {
    process.env = { ...others, ...variables };
    return startTollgate({ command: "exit 3;" });
  };
  const [nowhere, guessed] = ["http://127.0.0.1:9", { TOLLGATE_CONTROL_SECRET: "guessed" }];
  await assert.rejects(
    started({ TOLLGATE_BASE_URL: baseUrl, ...guessed }),
    /no isolated test merchant: .*control secret/,
  );
  await assert.rejects(started({ TOLLGATE_BASE_URL: nowhere, ...guessed }), /^Error: Tollgate ended with 3/);
  const dead = JSON.stringify({ ...rest, baseUrl: nowhere, isOfThisRun: false });
  await assert.rejects(
    started({ TOLLGATE_DEV: dead }),
    /TOLLGATE_DEV names .*:9, but no gateway listens there/,
  );
  process.env = { ...others, TOLLGATE_DEV: shared };
});

function handed(): RunningTollgate {
  return JSON.parse(process.env["TOLLGATE_DEV"] ?? "") as RunningTollgate;
}

test("a killed test run leaves no gateway running", async () => {
  const worker = `
    import { startTollgate } from "${new URL("src/start-tollgate.ts", import.meta.url).href}";
    console.log((await startTollgate({ command: ${JSON.stringify(command)} })).baseUrl);
    process.kill(process.pid, "SIGKILL");`;
  const baseUrl = (await runWorker(worker, { TOLLGATE_DEV: "" })).trim();
  assert.match(baseUrl, /^http:/);
  const giveUpAtMs = performance.now() + 10_000;
  while (await isUp(baseUrl)) {
    assert.ok(performance.now() < giveUpAtMs, "it is still there");
    await new Promise((wake) => setTimeout(wake, 50));
  }
});

test("a command that does not start is reported with a fix", async () => {
  const shared = process.env["TOLLGATE_DEV"] ?? "";
  delete process.env["TOLLGATE_DEV"];
  await assert.rejects(startTollgate({ command: "echo Never heard of >&2; exit 3;" }), (error) => {
    const { message } = error as Error;
    return /^Tollgate ended with 3 before it was ready\..*TOLLGATE_COMMAND.*\nNever heard of$/s.test(message);
  });
  process.env["TOLLGATE_DEV"] = shared;
});

function runWorker(code: string, variables: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", code], {
    env: { ...process.env, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  return new Promise((resolve) => child.once("close", () => resolve(said)));
}

async function isUp(baseUrl: string): Promise<boolean> {
  return fetch(baseUrl).then(
    () => true,
    () => false,
  );
}
