import { payThroughCompose } from "./packages/package-compose.ts";
import { examineChart } from "./packages/package-chart.ts";
import { buildDeb, payThroughDeb } from "./packages/package-deb.ts";
import { buildImage, payThroughImage } from "./packages/package-image.ts";
import { payThroughKube } from "./packages/package-kube.ts";
import { checkRelease } from "./packages/package-release.ts";
import { payThroughChart } from "./packages/play-chart.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";

/** Each form in which operators get the gateway. */
const forms: Readonly<Record<string, (options: ProofOptions) => Promise<ProofResult>>> = {
  image: testImage,
  deb: testDeb,
  compose: (options) => payWithImage(options, payThroughCompose),
  kube: (options) => payWithImage(options, payThroughKube),
  chart: testChart,
  release: testRelease,
};

await runProof({
  name: "package",
  claim:
    "Each form of the gateway for operators processes payments: signed, approved by the buyer, and with a webhook to the merchant. **image**: two builds have one id; its `migrate`, `serve` and `work` run with a " +
    "read-only root, without capabilities and not as root, and exit with 0 when they are stopped. **deb**: installed where systemd runs, it is started by its units, which have little access to " +
    "the machine (`systemd-analyze security` reports at most 2.0), reloaded and stopped. The same is repeated with the signer as a separate unit, by the steps and the drop-in of docs/operating/signer.md, and then neither `serve` nor `work` has the key file; purged, it leaves no file, no link and no unit; lintian finds no error. **compose** and **kube**: `deploy/compose.yaml` and `deploy/kube`, step by step as their first comments describe, with PostgreSQL in a " +
    "container; podman-compose and `podman kube play` run them, podman shows no password, and there the merchant polls the outcome. **chart**: `helm lint --strict` accepts it; the rendered objects are valid for Kubernetes 1.30 to 1.37 and follow our own rules, seeded mistakes are " +
    "found, and `podman kube play` runs it, with its Job as a Pod and its Secrets as files. **release**: built twice, its checksums and their signature are the same; `deploy/verify.sh` accepts it, and rejects a release that was changed by one bit, or signed by " +
    "others. " +
    "Needs root, helm (or HELM), buildah, podman, netavark, iptables, aardvark-dns, catatonit, runc, lintian, mmdebstrap and a network for packages that are installed once. Tries are payments through each form; arguments select the forms (default all).",
  triesDefault: 3,
  async run(options) {
    const results: ProofResult[] = [];
    for (const [name, tryForm] of Object.entries(forms)) {
      if (options.args.length > 0 && !options.args.includes(name)) continue;
      // A failure of one form is recorded as a miss, so that the results of the other forms are kept.
      const failed = (error: unknown): ProofResult => ({
        figures: {},
        misses: [`${name}: ${String(error)}`],
      });
      results.push(await tryForm(options).catch(failed));
      options.logProgress(`${name}: done`);
    }
    return {
      figures: Object.assign(
        { payments_through_each: options.tries },
        ...results.map(({ figures }) => figures),
      ),
      misses: results.flatMap(({ misses }) => misses),
    };
  },
});

async function testImage({ tries, logProgress }: ProofOptions): Promise<ProofResult> {
  const [imageId, rebuilt] = [await buildImage(), await buildImage()];
  logProgress(`built ${imageId} and ${rebuilt}`);
  const { megabytes, serveStatus, workStatus, misses } = await payThroughImage(imageId, tries);
  return {
    figures: {
      image: imageId.slice(0, 12),
      image_megabytes: megabytes,
      image_exit_statuses: `serve ${serveStatus}, work ${workStatus}`,
    },
    misses: [
      ...(imageId === rebuilt ? [] : ["two builds of one commit have two ids"]),
      ...(serveStatus === 0 && workStatus === 0 ? [] : ["a container did not exit with 0"]),
      ...misses,
    ],
  };
}

async function testDeb({ tries, logProgress }: ProofOptions): Promise<ProofResult> {
  const path = await buildDeb();
  logProgress(`built ${path}`);
  const { exposures, misses } = await payThroughDeb(path, tries);
  return { figures: { units_exposed: exposures.join(", ") }, misses };
}

/** Forms that run the image together with PostgreSQL, from files. */
async function payWithImage(
  { tries }: ProofOptions,
  payThrough: (testImage: string, payments: number) => Promise<readonly string[]>,
): Promise<ProofResult> {
  return { figures: {}, misses: await payThrough(await buildImage(), tries) };
}

async function testChart(options: ProofOptions): Promise<ProofResult> {
  const { objects, errorCount, misses } = await examineChart();
  options.logProgress(`the chart has ${objects} objects, and ${errorCount} seeded mistakes in it are found`);
  const deployed = await payWithImage(options, payThroughChart);
  return {
    figures: { chart_objects: objects, chart_mistakes_found: errorCount },
    misses: [...misses, ...deployed.misses],
  };
}

async function testRelease(): Promise<ProofResult> {
  const { files, id, tamperingCount, misses } = await checkRelease();
  const figures = { release: id.slice(0, 12), release_files: files, release_tampering_tried: tamperingCount };
  return { figures, misses };
}
