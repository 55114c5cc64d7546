import { buildDeb, payThroughDeb } from "./package-deb.ts";
import { buildImage, payThroughImage } from "./package-image.ts";
import { runProof, type ProofAsked, type Shown } from "./run-proof.ts";

/** Each form in which operators are given the gateway. */
const forms: Readonly<Record<string, (asked: ProofAsked) => Promise<Shown>>> = { image, deb };

await runProof({
  name: "package",
  claim:
    "What operators are given takes payments, each signed, approved by its buyer and told to its merchant. **image**: two builds have one id; its `migrate`, `serve` and `work` run with a " +
    "read-only root, without capabilities and not as root, and end with 0 when they are told to. **deb**: installed where systemd runs, it is started by its units, which may reach little of " +
    "the machine, reloaded and stopped; lintian finds no error. " +
    "Needs root, buildah, podman, runc, lintian and mmdebstrap. Tries are payments through each; words name the forms to try, all if there are none.",
  triesDefault: 3,
  async run(asked) {
    const shown: Shown[] = [];
    for (const [name, tryForm] of Object.entries(forms)) {
      if (asked.words.length > 0 && !asked.words.includes(name)) continue;
      shown.push(await tryForm(asked));
      asked.say(`${name}: ${asked.tries} payments`);
    }
    return {
      figures: Object.assign({ payments_through_each: asked.tries }, ...shown.map(({ figures }) => figures)),
      misses: shown.flatMap(({ misses }) => misses),
    };
  },
});

async function image({ tries, say }: ProofAsked): Promise<Shown> {
  const [built, again] = [await buildImage(), await buildImage()];
  say(`built ${built} and ${again}`);
  const { megabytes, serveStatus, workStatus, misses } = await payThroughImage(built, tries);
  return {
    figures: {
      image: built.slice(0, 12),
      image_megabytes: megabytes,
      image_exit_statuses: `serve ${serveStatus}, work ${workStatus}`,
    },
    misses: [
      ...(built === again ? [] : ["two builds of one commit have two ids"]),
      ...(serveStatus === 0 && workStatus === 0 ? [] : ["a container did not end with 0"]),
      ...misses,
    ],
  };
}

async function deb({ tries, say }: ProofAsked): Promise<Shown> {
  const path = await buildDeb();
  say(`built ${path}`);
  const { exposures, misses } = await payThroughDeb(path, tries);
  return { figures: { units_exposed: exposures.join(" and ") }, misses };
}
