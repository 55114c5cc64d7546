import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { notConfined } from "./package-image.ts";
import { podmanEnvironment } from "./podman.ts";
import { buildPostgresImage } from "./postgres-image.ts";
import { pythonTool } from "./python-tool.ts";
import { isReady, until } from "../trial/test-environment.ts";
import { endedBadly, isPaid, newTryPlace, passwordsToldOf, payByHand, type TryPlace } from "./try-place.ts";

const run = promisify(execFile);
const file = fileURLToPath(new URL("../../deploy/compose.yaml", import.meta.url));

/** Runs the steps at the top of deploy/compose.yaml, and then a down and up. Returns the errors. */
export async function payThroughCompose(image: string, payments: number): Promise<readonly string[]> {
  const place = await newTryPlace(() => "postgres");
  const compose = await newCompose(image, place);
  const shop = (...words: readonly string[]): Promise<string> =>
    compose("run", "-T", "--rm", "shop", ...words);
  const [serve, work] = ["serve", "work"].map((service) => `${place.name}_${service}_1`);
  const processes = [serve ?? "", work ?? ""];
  try {
    await compose("up", "-d", "postgres");
    await compose("run", "-T", "--rm", "migrate");
    await compose("run", "-T", "--rm", "set-up");
    await compose("up", "-d");
    await until(() => isReady(place.port), "compose to serve");
    let paid = "";
    for (let nth = 0; nth < payments; nth += 1) paid = await payByHand(shop);
    const misses = [
      ...(await Promise.all(processes.map((id) => notConfined({ id })))).flat(),
      ...(await passwordsToldOf([...processes, `${place.name}_postgres_1`], place)),
      ...(await endedBadly(processes)),
    ];
    await compose("down");
    await compose("up", "-d");
    await until(() => isReady(place.port), "compose to serve again");
    return (await isPaid(shop, paid)) ? misses : [...misses, "paid payments are lost after down and up"];
  } finally {
    await compose("down", "--volumes").catch(() => "");
    place.remove();
  }
}

/** Runs podman-compose with the variables that an operator would export, and returns its output. */
async function newCompose(
  image: string,
  { name, secrets, port, walletPort }: TryPlace,
): Promise<(...words: readonly string[]) => Promise<string>> {
  const program = join(await pythonTool("podman-compose==1.6.0"), "podman-compose");
  const env = {
    ...podmanEnvironment,
    TOLLGATE_IMAGE: image,
    POSTGRES_IMAGE: await buildPostgresImage(),
    TOLLGATE_SECRETS: secrets,
    TOLLGATE_LISTEN: `127.0.0.1:${port}`,
    TOLLGATE_PUBLIC_URL: `http://127.0.0.1:${port}`,
    WALLET_LISTEN: `127.0.0.1:${walletPort}`,
    WALLET_PUBLIC_URL: `http://127.0.0.1:${walletPort}`,
  };
  const all = ["--file", file, "--project-name", name, "--profile", "try", "--profile", "shop"];
  return async (...words) => {
    // `up` runs without the profile "shop", which would also start the merchant's command line as a service.
    const own = words[0] === "up" ? all.slice(0, -2) : all;
    return (await run(program, [...own, ...words], { env, maxBuffer: 2 ** 26 })).stdout.trim();
  };
}
