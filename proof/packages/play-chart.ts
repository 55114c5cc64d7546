import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Container, Manifest, PodSpec } from "../installation/manifest.ts";
import { parseObjects, renderChart } from "./package-chart.ts";
import { findConfinementViolations } from "./package-image.ts";
import { adaptKubeFile, newMerchantCli } from "./package-kube.ts";
import { podman } from "./podman.ts";
import { buildPostgresImage } from "./postgres-image.ts";
import { isReady, waitUntil } from "../trial/test-environment.ts";
import {
  stopAndFindFailures,
  prepareTestDeployment,
  payThroughPages,
  type TestDeployment,
} from "./test-deployment.ts";

const kube = fileURLToPath(new URL("../../deploy/kube/", import.meta.url));

/**
 * Runs the rendered chart with `podman kube play`, together with the database and the provider of deploy/kube. Podman
 * supports no Job, shows Secrets to every user, and opens no Service. Therefore the Job is a Pod, Secrets are files of
 * the machine, and `serve` has a port of the machine.
 */
export async function payThroughChart(image: string, payments: number): Promise<readonly string[]> {
  const deployment = await prepareTestDeployment((name) => `${name}-database`);
  const release = `${deployment.name}-tollgate`;
  const postgres = await buildPostgresImage();
  const adaptedFile = (name: string): string =>
    adaptKubeFile(readFileSync(join(kube, name), "utf8"), deployment, { image, postgres });
  const database = adaptedFile("tollgate.yaml")
    .split(/^---$/m)
    .filter((text) => text.includes(`name: ${deployment.name}-database`));
  const writeSecretFile = (name: string, text: string): string => {
    const path = join(deployment.secrets, name);
    writeFileSync(path, text);
    return path;
  };
  const chartObjects = (await parseObjects(await renderForDeployment(release, deployment))).flatMap((each) =>
    toPlayableObjects(each, image, deployment),
  );
  const files = [
    writeSecretFile("database.yaml", database.join("---")),
    writeSecretFile("chart.yaml", chartObjects.map((each) => JSON.stringify(each)).join("\n---\n")),
    writeSecretFile("try.yaml", adaptedFile("try.yaml")),
  ];
  const processes = ["serve", "work"].map((each) => `${release}-${each}-pod-0-${each}`);
  try {
    for (const file of files) await podman("kube", "play", file);
    await waitUntil(() => isReady(deployment.port), "the chart to serve", 120_000);
    const shop = newMerchantCli(image, deployment.secrets);
    for (let nth = 0; nth < payments; nth += 1) await payThroughPages(shop);
    const violations = await Promise.all(processes.map((id) => findConfinementViolations({ id })));
    return [...violations.flat(), ...(await stopAndFindFailures(processes))];
  } finally {
    for (const file of files) await podman("kube", "down", file).catch(() => "");
    await podman("volume", "rm", "--force", `${deployment.name}-database`).catch(() => "");
    deployment.remove();
  }
}

function renderForDeployment(release: string, { port }: TestDeployment): Promise<string> {
  const assignments = [
    "environment=sandbox",
    `publicUrl=http://127.0.0.1:${port}`,
    "image.repository=localhost/tollgate",
    "serve.replicas=1",
    "work.replicas=1",
    "serve.drainSeconds=2",
  ];
  return renderChart(release, ...assignments.flatMap((each) => ["--set", each]));
}

/** `toPlayableObjects` converts an object of the chart to the objects that podman can run. */
function toPlayableObjects(object: Manifest, image: string, deployment: TestDeployment): readonly object[] {
  const { kind, metadata, spec } = object;
  if (kind === "ConfigMap") return [object];
  if (!spec?.template || spec["replicas"] === 0) return [];
  const pod = adaptPod(spec.template.spec, image, deployment);
  if (kind === "Job")
    return [{ apiVersion: "v1", kind: "Pod", metadata: { name: metadata.name }, spec: pod }];
  return [{ ...object, spec: { ...spec, template: { ...spec.template, spec: pod } } }];
}

function adaptPod(pod: PodSpec, image: string, { secrets, port }: TestDeployment): object {
  const secretFile = (secret: string): string =>
    secret === "tollgate-key" ? "key" : `${secret.replace("tollgate-", "")}.url`;
  // Podman publishes every named port.
  const publishedPorts = ({ ports = [] }: Container): readonly object[] =>
    ports
      .filter(({ name }) => name === "merchants")
      .map((each) => ({ ...each, hostPort: port, hostIP: "127.0.0.1" }));
  return {
    ...pod,
    containers: pod.containers.map((container) => ({
      ...container,
      image,
      ports: publishedPorts(container),
      volumeMounts: container.volumeMounts?.map(({ name, mountPath }) => ({
        name,
        mountPath,
        readOnly: true,
      })),
    })),
    volumes: pod.volumes?.map(({ name, secret }) => ({
      name,
      hostPath: { path: join(secrets, secretFile(secret?.secretName ?? "")), type: "File" },
    })),
  };
}
