import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findConfinementViolations } from "./package-image.ts";
import { podmanEnvironment } from "./podman.ts";
import { buildPostgresImage } from "./postgres-image.ts";
import { installPythonTool } from "./python-tool.ts";
import { isReady, waitUntil } from "../trial/test-environment.ts";
import {
  stopAndFindFailures,
  isPaid,
  prepareTestDeployment,
  findShownPasswords,
  payThroughPages,
  type TestDeployment,
} from "./test-deployment.ts";

const run = promisify(execFile);
const file = fileURLToPath(new URL("../../deploy/compose.yaml", import.meta.url));

/** Runs the steps at the top of deploy/compose.yaml, and then a down and up. Returns the errors. */
export async function payThroughCompose(image: string, payments: number): Promise<readonly string[]> {
  const deployment = await prepareTestDeployment(() => "postgres");
  const compose = await newCompose(image, deployment);
  const shop = (...args: readonly string[]): Promise<string> => compose("run", "-T", "--rm", "shop", ...args);
  const [serve, work] = ["serve", "work"].map((service) => `${deployment.name}_${service}_1`);
  const processes = [serve ?? "", work ?? ""];
  try {
    await compose("up", "-d", "postgres");
    await compose("run", "-T", "--rm", "migrate");
    await compose("run", "-T", "--rm", "set-up");
    await compose("up", "-d");
    await waitUntil(() => isReady(deployment.port), "compose to serve");
    let paidId = "";
    for (let nth = 0; nth < payments; nth += 1) paidId = await payThroughPages(shop);
    const misses = [
      ...(await Promise.all(processes.map((id) => findConfinementViolations({ id })))).flat(),
      ...(await findShownPasswords([...processes, `${deployment.name}_postgres_1`], deployment)),
      ...(await stopAndFindFailures(processes)),
    ];
    await compose("down");
    await compose("up", "-d");
    await waitUntil(() => isReady(deployment.port), "compose to serve again");
    return (await isPaid(shop, paidId)) ? misses : [...misses, "paid payments are lost after down and up"];
  } finally {
    await compose("down", "--volumes").catch(() => "");
    deployment.remove();
  }
}

/** Runs podman-compose with the variables that an operator would export, and returns its output. */
async function newCompose(
  image: string,
  { name, secrets, port, providerPort }: TestDeployment,
): Promise<(...args: readonly string[]) => Promise<string>> {
  const program = join(await installPythonTool("podman-compose==1.6.0"), "podman-compose");
  const env = {
    ...podmanEnvironment,
    TOLLGATE_IMAGE: image,
    POSTGRES_IMAGE: await buildPostgresImage(),
    TOLLGATE_SECRETS: secrets,
    TOLLGATE_LISTEN: `127.0.0.1:${port}`,
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    WALLET_LISTEN: `127.0.0.1:${providerPort}`,
    WALLET_PUBLIC_URL: `http://127.0.0.1:${providerPort}`,
  };
  const allArgs = ["--file", file, "--project-name", name, "--profile", "try", "--profile", "shop"];
  return async (...args) => {
    // `up` runs without the profile "shop", which would also start the merchant's command line as a service.
    const composeArgs = args[0] === "up" ? allArgs.slice(0, -2) : allArgs;
    return (await run(program, [...composeArgs, ...args], { env, maxBuffer: 2 ** 26 })).stdout.trim();
  };
}
