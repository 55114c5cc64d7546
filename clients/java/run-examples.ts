import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startExampleGateway, type ExampleGateway } from "../life/example-gateway.ts";
import { conformReceiverExample, testReceiverExample } from "../life/receiver-examples.ts";
import { packageNames } from "../package-names.ts";
import { startShopDatabase, type ShopDatabase } from "../life/shop-database.ts";

/**
 * Installs the library with Maven, uses it in an empty project, and runs each example with a real gateway.
 */
const here = import.meta.dirname;
const run = promisify(execFile);
const installTimeoutMs = 400_000;
const startTimeoutMs = 60_000;
const modular = "modular/shop/Main.java";
const spring = "spring/NotifySpring.java";

const folder = await mkdtemp(join(tmpdir(), "tollgate-java-"));
const [jars, classes] = [join(folder, "jars"), join(folder, "classes")];
let gateway: ExampleGateway | undefined;
let database: ShopDatabase | undefined;
let variables: Readonly<Record<string, string>> = {};
let count = 0;
try {
  await install();
  gateway = await startExampleGateway();
  ({ variables } = gateway);
  const paymentId = /payment (\d+)/.exec(await runExample("Pay", {}))?.[1] ?? "";
  await gateway.approve(paymentId);
  expectText(await runExample("Wait", { PAYMENT_ID: paymentId }), "SUCCESS EUR 12.50");
  expectText(await runExample("Refund", { PAYMENT_ID: paymentId }), "SUCCESS");
  expectText(
    await runExample("Async", { PAYMENT_ID: paymentId }),
    "SUCCESS\nORDER_NOT_EXIST\nORDER_NOT_EXIST",
  );
  expectText(await runExample("Log", {}), "tollgate/inquiryOpenRecords: SUCCESS after");
  expectText(await runExample("UnitTest", {}), "ok");
  expectText(await runExample("ReadFeed", {}), "order-1001");
  expectText(
    await runExample("AtTheTill", { PAYMENT_CODE: await gateway.paymentCode() }),
    "Paid at the till: ",
  );
  expectText(await runModularProgram(), "io.tollgate SUCCESS");
  database = await startShopDatabase();
  await testReceiver("Notify", gateway);
  await testReceiver("spring.NotifySpring", gateway);
  process.stdout.write(`java examples: ${count} ok\n`);
} finally {
  await gateway?.stop();
  await database?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Installs like a merchant: from the repository that contains the package. */
async function install(): Promise<void> {
  const maven = async (...parameters: readonly string[]): Promise<void> => {
    await run("mvn", ["--quiet", "--batch-mode", ...parameters], { cwd: here, timeout: installTimeoutMs });
  };
  await maven("-DskipTests", "install");
  const copy = ["-Pspring", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`];
  await maven("--file", join(here, "examples/pom.xml"), ...copy);
  await mkdir(classes);
  const names = (await readdir(join(here, "examples"))).filter((name) => name.endsWith(".java"));
  const files = [...names, spring].map((name) => join(here, "examples", name));
  await run("javac", [
    "--release",
    "17",
    "-Xlint:all",
    "-Werror",
    "-cp",
    `${jars}/*`,
    "-d",
    classes,
    ...files,
  ]);
}

async function runExample(name: string, extraVariables: Readonly<Record<string, string>>): Promise<string> {
  count += 1;
  return java(["-cp", `${classes}:${jars}/*`, name], extraVariables);
}

/** Runs on the module path, where only exported packages are accessible. */
async function runModularProgram(): Promise<string> {
  count += 1;
  const [path, module] = [join(jars, await libraryJar()), join(folder, "module")];
  const files = ["modular/module-info.java", modular].map((name) => join(here, "examples", name));
  await run("javac", ["--release", "17", "--module-path", path, "-d", module, ...files]);
  return java(["--module-path", `${path}:${module}`, "--module", "shop/shop.Main"], {});
}

async function libraryJar(): Promise<string> {
  return (await readdir(jars)).find((name) => name.startsWith(packageNames.mavenArtifact)) ?? "";
}

async function java(
  parameters: readonly string[],
  extraVariables: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { ...process.env, ...variables, ...extraVariables };
  return (await run("java", [...parameters], { env, timeout: startTimeoutMs })).stdout;
}

function expectText(text: string, expected: string): void {
  if (!text.includes(expected)) throw new Error(`${JSON.stringify(text)} does not contain ${expected}.`);
}

/** Starts an endpoint, and runs the webhook tests that every receiver must pass. */
async function testReceiver(name: string, shop: ExampleGateway): Promise<void> {
  count += 1;
  const { host, pathname, username, password } = new URL(database?.url ?? "");
  const command = ["java", "-cp", `${classes}:${jars}/*`, name];
  const environment = {
    cwd: folder,
    variables: {
      SPRING_DATASOURCE_URL: `jdbc:postgresql://${host}${pathname}`,
      SPRING_DATASOURCE_USERNAME: username,
      SPRING_DATASOURCE_PASSWORD: decodeURIComponent(password),
    },
  };
  await testReceiverExample(shop, command, environment);
  await conformReceiverExample(shop, command, environment);
}
