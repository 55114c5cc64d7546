import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Runner } from "../../clients/runner.ts";
import { podman, podmanEnvironment } from "../packages/podman.ts";
import type { LibraryBuilds } from "./runtime.ts";

const run = promisify(execFile);

/** Systems whose maintained packages contain versions of languages. */
interface System {
  readonly packages: readonly string[];
  /**
   * The mirror of an Ubuntu system; absent for Debian. Apt has Debian's keys, and gets Ubuntu's keys from a Debian
   * package.
   */
  readonly mirror?: string;
}

/** A mirror of Ubuntu, set on the machine; without it Ubuntu's systems are not available. */
const ubuntu = process.env["UBUNTU_MIRROR"] ?? "";

const systems = {
  jammy: { packages: ["php8.1-cli", "php8.1-curl", "python3"], mirror: ubuntu },
  noble: { packages: ["php8.3-cli", "php8.3-curl", "python3"], mirror: ubuntu },
  resolute: { packages: ["php8.5-cli", "php8.5-curl", "openjdk-25-jre-headless"], mirror: ubuntu },
  trixie: {
    packages: ["php8.4-cli", "php8.4-curl", "python3", "openjdk-21-jre-headless", "ubuntu-archive-keyring"],
  },
  sid: { packages: ["python3.14", "python3.15", "openjdk-26-jre-headless", "openjdk-27-jre-headless"] },
} as const satisfies Readonly<Record<string, System>>;

export type SystemName = keyof typeof systems;

/** Environment variables of a runner, which a container must get as well. */
const passedVariables = [
  ..."CONFORMANCE_URL BASE_URL PROXY_URL MAILBOX_URL CLIENT_ID KEY_VERSION PRIVATE_KEY_FILE".split(" "),
  ..."GATEWAY_PUBLIC_KEY_FILE WALLET_URL CONTROL_SECRET PYTHONPATH".split(" "),
];

/**
 * Returns the command that runs a program in a container of a system, in the folder `clients`. The container uses this
 * machine's network, and mounts folders at the same path.
 */
export async function newContainerRunner(
  system: SystemName,
  { clients, mountedFolders }: LibraryBuilds,
): Promise<(...args: readonly string[]) => Runner> {
  const image = await findImage(system);
  const volumes = mountedFolders.flatMap((folder) => ["--volume", `${folder}:${folder}:ro`]);
  const variables = passedVariables.flatMap((name) => ["--env", name]);
  const podmanArgs = ["--rm", "--network", "host", "--workdir", clients, ...volumes, ...variables];
  return (...args) => ({
    command: ["podman", "run", ...podmanArgs, image, ...args],
    cwd: clients,
    environment: podmanEnvironment,
  });
}

const images = new Map<SystemName, Promise<string>>();

/** The image of a system, which is built once for all callers. */
function findImage(system: SystemName): Promise<string> {
  const image = images.get(system) ?? buildImage(system);
  images.set(system, image);
  return image;
}

/** `buildImage` builds the image of a system from packages over the network, if the image does not exist. */
async function buildImage(system: SystemName): Promise<string> {
  const name = `localhost/tollgate-runtimes:${system}`;
  if (await imageExists(name)) return name;
  const { packages, mirror }: System = systems[system];
  if (mirror === "") throw new Error("UBUNTU_MIRROR is not set to a mirror of Ubuntu.");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-system-"));
  // Apt reads keys as a separate user.
  chmodSync(folder, 0o755);
  const archive = join(folder, "root.tar");
  try {
    const keyArgs = mirror === undefined ? [] : await readUbuntuKeys(folder);
    const components = mirror === undefined ? "main" : "main,universe";
    // Apt ignores the expiry of the mirror's signature, because a mirror may be some weeks old. Apt still verifies the
    // signature itself.
    const expiryArg = '--aptopt=Acquire::Check-Valid-Until "false"';
    const includeArg = `--include=${packages.join(",")}`;
    const bootstrapArgs = [
      "--variant=essential",
      `--components=${components}`,
      includeArg,
      expiryArg,
      ...keyArgs,
    ];
    await run("mmdebstrap", [...bootstrapArgs, system, archive, ...(mirror === undefined ? [] : [mirror])], {
      maxBuffer: 2 ** 26,
    });
    await podman("import", archive, name);
    return name;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readUbuntuKeys(folder: string): Promise<readonly string[]> {
  const keyring = join(folder, "ubuntu.gpg");
  const catCommand = ["cat", "/usr/share/keyrings/ubuntu-archive-keyring.gpg"];
  const debian = await findImage("trixie");
  const { stdout } = await run("podman", ["run", "--rm", "--network", "host", debian, ...catCommand], {
    env: podmanEnvironment,
    encoding: "buffer",
  });
  writeFileSync(keyring, stdout);
  return [`--keyring=${keyring}`];
}

async function imageExists(name: string): Promise<boolean> {
  return podman("image", "exists", name).then(
    () => true,
    () => false,
  );
}
