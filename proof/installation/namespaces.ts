import { execFileSync } from "node:child_process";

/** Two regions as network namespaces, connected by one virtual cable. */
export interface TwoRegions {
  readonly east: Region;
  readonly west: Region;
  /** `cut` makes the firewall of the region `west` silently drop all packets of the cable, in both directions. */
  cut(): void;
  heal(): void;
  remove(): void;
}

export interface Region {
  readonly name: string;
  readonly namespace: string;
  /** The address of the region's cell in the directory. In the other region a relay listens on this address. */
  readonly host: string;
  /** The IP address of the region's end of the virtual cable. */
  readonly cable: string;
}

const hosts = { east: "10.77.0.1", west: "10.77.0.2" } as const;
const cables = { east: "10.77.1.1", west: "10.77.1.2" } as const;

/**
 * `createRegions` creates two regions. It returns undefined without root, `ip` or `iptables`, which namespaces and
 * their firewall need.
 */
export function createRegions(): TwoRegions | undefined {
  const regionOf = (name: "east" | "west"): Region => ({
    name,
    namespace: `tollgate-${process.pid}-${name}`,
    host: hosts[name],
    cable: cables[name],
  });
  const [east, west] = [regionOf("east"), regionOf("west")];
  const remove = (): void => {
    for (const { namespace } of [east, west]) ignoreErrors(() => ip("netns", "del", namespace));
  };
  try {
    for (const { namespace } of [east, west]) ip("netns", "add", namespace);
    const peer = ["type", "veth", "peer", "name", "cable", "netns", west.namespace];
    ip("-n", east.namespace, "link", "add", "cable", ...peer);
    for (const { namespace, cable } of [east, west]) {
      ip("-n", namespace, "address", "add", `${cable}/30`, "dev", "cable");
      for (const host of Object.values(hosts))
        ip("-n", namespace, "address", "add", `${host}/32`, "dev", "lo");
      for (const link of ["lo", "cable"]) ip("-n", namespace, "link", "set", link, "up");
    }
    firewall(west, "-N", "cut");
  } catch {
    remove();
    return undefined;
  }
  process.once("exit", remove);
  return {
    east,
    west,
    cut() {
      firewall(west, "-I", "INPUT", "-i", "cable", "-j", "DROP");
      firewall(west, "-I", "OUTPUT", "-o", "cable", "-j", "DROP");
    },
    heal() {
      firewall(west, "-D", "INPUT", "-i", "cable", "-j", "DROP");
      firewall(west, "-D", "OUTPUT", "-o", "cable", "-j", "DROP");
    },
    remove,
  };
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: "ignore" });
}

function firewall({ namespace }: Region, ...args: readonly string[]): void {
  ip("netns", "exec", namespace, "iptables", ...args);
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // The namespace was never created, or is already deleted.
  }
}
