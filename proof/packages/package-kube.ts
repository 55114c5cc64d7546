import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { notConfined } from "./package-image.ts";
import { podman } from "./podman.ts";
import { buildPostgresImage } from "./postgres-image.ts";
import { isReady, until } from "../trial/test-environment.ts";
import { endedBadly, newTryPlace, passwordsToldOf, payByHand, type TryPlace } from "./try-place.ts";

const kube = fileURLToPath(new URL("../../deploy/kube/", import.meta.url));

/** Runs both files with `podman kube play`, as their first comments describe. Returns the errors. */
export async function payThroughKube(image: string, payments: number): Promise<readonly string[]> {
  const place = await newTryPlace((name) => `${name}-database`);
  const postgres = await buildPostgresImage();
  const files = ["tollgate.yaml", "try.yaml"].map((name) => {
    const path = join(place.secrets, name);
    writeFileSync(path, moved(readFileSync(join(kube, name), "utf8"), place, { image, postgres }));
    return path;
  });
  const processes = ["serve", "work"].map((each) => `${place.name}-${each}-pod-0-${each}`);
  try {
    for (const file of files) await podman("kube", "play", file);
    await until(() => isReady(place.port), "the pod to serve", 120_000);
    const shop = shopOf(image, place.secrets);
    for (let nth = 0; nth < payments; nth += 1) await payByHand(shop);
    return [
      ...(await Promise.all(processes.map((id) => notConfined({ id })))).flat(),
      ...(await passwordsToldOf([...processes, `${place.name}-database-postgres`], place)),
      ...(await endedBadly(processes)),
    ];
  } finally {
    for (const file of files) await podman("kube", "down", file).catch(() => "");
    await podman("volume", "rm", "--force", `${place.name}-database`).catch(() => "");
    place.remove();
  }
}

/** The merchant's command line, as in try.yaml. */
export function shopOf(image: string, secrets: string): (...words: readonly string[]) => Promise<string> {
  const seen = ["--volume", `${secrets}/try:/try:ro`, "--entrypoint", "/usr/bin/node"];
  const program = ["--env-file=/try/merchant.env", "/opt/tollgate/tollgate.cjs"];
  return (...words) => podman("run", "--rm", "--network", "host", ...seen, image, ...program, ...words);
}

/**
 * Returns a kube file with this place's folder, ports, images and names, so that it does not collide with other
 * containers on this machine.
 */
export function moved(
  text: string,
  { name, secrets, port, walletPort }: TryPlace,
  { image, postgres }: { readonly image: string; readonly postgres: string },
): string {
  return text
    .replaceAll(/localhost\/tollgate:[\w.-]+/g, image)
    .replaceAll("postgres:17", postgres)
    .replaceAll(/tollgate-(database|migrate|serve|work|settings|provider)\b/g, `${name}-$1`)
    .replaceAll("/etc/tollgate/secrets", secrets)
    .replaceAll("hostPort: 8080", `hostPort: ${port}`)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replaceAll("hostPort: 8090", `hostPort: ${walletPort}`)
    .replaceAll("127.0.0.1:8090", `127.0.0.1:${walletPort}`);
}
