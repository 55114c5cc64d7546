import { buildImage, payThroughImage } from "./package-image.ts";
import { runProof } from "./run-proof.ts";

await runProof({
  name: "package",
  claim:
    "What operators are given takes payments, each signed, approved by its buyer and told to its merchant. Two builds of the image have one id; `migrate`, `serve` and `work` of it run with a " +
    "read-only root, without capabilities and not as root, and end with 0 when they are told to. " +
    "Needs root, buildah, podman and runc. Tries are payments through each.",
  triesDefault: 3,
  async run({ tries, say }) {
    const [image, again] = [await buildImage(), await buildImage()];
    say(`built ${image} and ${again}`);
    const { megabytes, serveStatus, workStatus, misses } = await payThroughImage(image, tries);
    say(`${tries} payments through the image`);
    return {
      figures: {
        image: image.slice(0, 12),
        image_megabytes: megabytes,
        image_payments: tries,
        image_exit_statuses: `serve ${serveStatus}, work ${workStatus}`,
      },
      misses: [
        ...(image === again ? [] : ["two builds of one commit have two ids"]),
        ...(serveStatus === 0 && workStatus === 0 ? [] : ["a container did not end with 0"]),
        ...misses,
      ],
    };
  },
});
