import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findConfinementViolations } from "./package-image.ts";
import { podman } from "./podman.ts";
import { buildPostgresImage } from "./postgres-image.ts";
import { isReady, waitUntil } from "../trial/test-environment.ts";
import {
  stopAndFindFailures,
  prepareTestDeployment,
  findShownPasswords,
  payThroughPages,
  type TestDeployment,
} from "./test-deployment.ts";

const kube = fileURLToPath(new URL("../../deploy/kube/", import.meta.url));

/** Runs both files with `podman kube play`, as their first comments describe. Returns the errors. */
export async function payThroughKube(image: string, payments: number): Promise<readonly string[]> {
  const deployment = await prepareTestDeployment((name) => `${name}-database`);
  const postgres = await buildPostgresImage();
  const files = ["tollgate.yaml", "try.yaml"].map((name) => {
    const path = join(deployment.secrets, name);
    writeFileSync(
      path,
      adaptKubeFile(readFileSync(join(kube, name), "utf8"), deployment, { image, postgres }),
    );
    return path;
  });
  const processes = ["serve", "work"].map((each) => `${deployment.name}-${each}-pod-0-${each}`);
  try {
    for (const file of files) await podman("kube", "play", file);
    await waitUntil(() => isReady(deployment.port), "the pod to serve", 120_000);
    const shop = newMerchantCli(image, deployment.secrets);
    for (let nth = 0; nth < payments; nth += 1) await payThroughPages(shop);
    return [
      ...(await Promise.all(processes.map((id) => findConfinementViolations({ id })))).flat(),
      ...(await findShownPasswords([...processes, `${deployment.name}-database-postgres`], deployment)),
      ...(await stopAndFindFailures(processes)),
    ];
  } finally {
    for (const file of files) await podman("kube", "down", file).catch(() => "");
    await podman("volume", "rm", "--force", `${deployment.name}-database`).catch(() => "");
    deployment.remove();
  }
}

/** The merchant's command line, as in try.yaml. */
export function newMerchantCli(
  image: string,
  secrets: string,
): (...args: readonly string[]) => Promise<string> {
  const mountArgs = ["--volume", `${secrets}/try:/try:ro`, "--entrypoint", "/usr/bin/node"];
  const program = ["--env-file=/try/merchant.env", "/opt/tollgate/tollgate.cjs"];
  return (...args) => podman("run", "--rm", "--network", "host", ...mountArgs, image, ...program, ...args);
}

/**
 * Returns a kube file with this place's folder, ports, images and names, so that it does not collide with other
 * containers on this machine.
 */
export function adaptKubeFile(
  text: string,
  { name, secrets, port, providerPort }: TestDeployment,
  { image, postgres }: { readonly image: string; readonly postgres: string },
): string {
  return text
    .replaceAll(/localhost\/tollgate:[\w.-]+/g, image)
    .replaceAll("postgres:17", postgres)
    .replaceAll(/tollgate-(database|migrate|serve|work|settings|provider)\b/g, `${name}-$1`)
    .replaceAll("/etc/tollgate/secrets", secrets)
    .replaceAll("hostPort: 8080", `hostPort: ${port}`)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replaceAll("hostPort: 8090", `hostPort: ${providerPort}`)
    .replaceAll("127.0.0.1:8090", `127.0.0.1:${providerPort}`);
}
