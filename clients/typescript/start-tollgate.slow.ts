import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, test } from "node:test";
import { newRequestId } from "./src/request-id.ts";
import { startTollgate, type StartedTollgate } from "./src/start-tollgate.ts";

/** As `npx tollgate` would call it, from the sources. */
const command = `'${process.execPath}' '${join(import.meta.dirname, "../../cli/src/start.ts")}'`;
const [tollgate, twin] = await Promise.all([startTollgate({ command }), startTollgate({ command })]);
after(() => tollgate.stop());

async function pay({ client }: StartedTollgate): Promise<string> {
  const amount = { currency: "EUR", value: "1250" };
  const { paymentId = "" } = await client.payments.pay({
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: newRequestId("test"),
    order: { referenceOrderId: "order-1", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "GCASH" },
    paymentRedirectUrl: "https://shop.example/thanks",
    env: { terminalType: "WEB" },
  });
  return paymentId;
}

test("a payment is paid when the buyer approves, and is not when he declines", async () => {
  const [paid, refused] = [await pay(tollgate), await pay(tollgate)];
  await tollgate.approve(paid);
  await tollgate.decline(refused);
  const final = tollgate.client.payments.waitForFinal;
  assert.equal((await final({ paymentId: paid })).paymentStatus, "SUCCESS");
  assert.equal((await final({ paymentId: refused })).paymentStatus, "FAIL");
  await assert.rejects(tollgate.approve("none"), /does not approve payment none/);
});

test("whoever asks again, and any child process, gets the same one, and does not end it", async () => {
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

test("a test run that is killed leaves no gateway behind", async () => {
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

test("a command that does not start is answered with what to do", async () => {
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
