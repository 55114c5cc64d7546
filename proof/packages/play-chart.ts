import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Container, Manifest, PodSpec } from "../installation/manifest.ts";
import { objectsIn, renderChart } from "./package-chart.ts";
import { notConfined } from "./package-image.ts";
import { moved, shopOf } from "./package-kube.ts";
import { podman } from "./podman.ts";
import { buildPostgresImage } from "./postgres-image.ts";
import { isReady, until } from "../trial/test-environment.ts";
import { endedBadly, newTryPlace, payByHand, type TryPlace } from "./try-place.ts";

const kube = fileURLToPath(new URL("../../deploy/kube/", import.meta.url));

/**
 * Runs the rendered chart with `podman kube play`, together with the database and the provider of deploy/kube. Podman
 * supports no Job, shows Secrets to every user, and opens no Service. Therefore the Job is a Pod, Secrets are files of
 * the machine, and `serve` has a port of the machine.
 */
export async function payThroughChart(image: string, payments: number): Promise<readonly string[]> {
  const place = await newTryPlace((name) => `${name}-database`);
  const release = `${place.name}-tollgate`;
  const postgres = await buildPostgresImage();
  const beside = (name: string): string =>
    moved(readFileSync(join(kube, name), "utf8"), place, { image, postgres });
  const database = beside("tollgate.yaml")
    .split(/^---$/m)
    .filter((text) => text.includes(`name: ${place.name}-database`));
  const written = (name: string, text: string): string => {
    const path = join(place.secrets, name);
    writeFileSync(path, text);
    return path;
  };
  const own = (await objectsIn(await render(release, place))).flatMap((each) => playable(each, image, place));
  const files = [
    written("database.yaml", database.join("---")),
    written("chart.yaml", own.map((each) => JSON.stringify(each)).join("\n---\n")),
    written("try.yaml", beside("try.yaml")),
  ];
  const processes = ["serve", "work"].map((each) => `${release}-${each}-pod-0-${each}`);
  try {
    for (const file of files) await podman("kube", "play", file);
    await until(() => isReady(place.port), "the chart to serve", 120_000);
    const shop = shopOf(image, place.secrets);
    for (let nth = 0; nth < payments; nth += 1) await payByHand(shop);
    const confined = await Promise.all(processes.map((id) => notConfined({ id })));
    return [...confined.flat(), ...(await endedBadly(processes))];
  } finally {
    for (const file of files) await podman("kube", "down", file).catch(() => "");
    await podman("volume", "rm", "--force", `${place.name}-database`).catch(() => "");
    place.remove();
  }
}

function render(release: string, { port }: TryPlace): Promise<string> {
  const set = [
    "environment=sandbox",
    `publicUrl=http://127.0.0.1:${port}`,
    "image.repository=localhost/tollgate",
    "serve.replicas=1",
    "work.replicas=1",
    "serve.drainSeconds=2",
  ];
  return renderChart(release, ...set.flatMap((each) => ["--set", each]));
}

/** `playable` converts an object of the chart to the objects that podman can run. */
function playable(object: Manifest, image: string, place: TryPlace): readonly object[] {
  const { kind, metadata, spec } = object;
  if (kind === "ConfigMap") return [object];
  if (!spec?.template || spec["replicas"] === 0) return [];
  const pod = onThisMachine(spec.template.spec, image, place);
  if (kind === "Job")
    return [{ apiVersion: "v1", kind: "Pod", metadata: { name: metadata.name }, spec: pod }];
  return [{ ...object, spec: { ...spec, template: { ...spec.template, spec: pod } } }];
}

function onThisMachine(pod: PodSpec, image: string, { secrets, port }: TryPlace): object {
  const fileOf = (secret: string): string =>
    secret === "tollgate-key" ? "key" : `${secret.replace("tollgate-", "")}.url`;
  // Podman publishes every named port.
  const published = ({ ports = [] }: Container): readonly object[] =>
    ports
      .filter(({ name }) => name === "merchants")
      .map((each) => ({ ...each, hostPort: port, hostIP: "127.0.0.1" }));
  return {
    ...pod,
    containers: pod.containers.map((container) => ({
      ...container,
      image,
      ports: published(container),
      volumeMounts: container.volumeMounts?.map(({ name, mountPath }) => ({
        name,
        mountPath,
        readOnly: true,
      })),
    })),
    volumes: pod.volumes?.map(({ name, secret }) => ({
      name,
      hostPath: { path: join(secrets, fileOf(secret?.secretName ?? "")), type: "File" },
    })),
  };
}
