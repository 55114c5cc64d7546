import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** The operator's own proxies. A connection from a proxy carries another party's request. */
export interface Proxies {
  has(address: string): boolean;
}

/** Parses networks such as `10.0.0.0/8` or `2001:db8::/32`, separated by commas. */
export function parseProxies(text: string): Proxies {
  const networks = new BlockList();
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    const prefix = bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits);
    const isNetwork = isIP(address) !== 0 && /^\d{1,3}$/.test(bits ?? "0");
    if (!isNetwork || prefix > (family === "ipv6" ? 128 : 32)) throw new Error(`${entry} is no network.`);
    networks.addSubnet(address, prefix, family);
  }
  // Without configured proxies the list is empty. This shortcut matters, because the function runs for every request.
  if (entries.length === 0) return { has: () => false };
  return { has: (address) => networks.check(address, isIPv6(address) ? "ipv6" : "ipv4") };
}

/**
 * The caller's address: the peer's, unless the peer is one of our proxies. A proxy appends its peer to
 * `x-forwarded-for`, so the last address that is no proxy counts. A caller can forge the entries before it.
 */
export function callerAddress(connected: string, forwarded: string | undefined, proxies: Proxies): string {
  let address = unmapAddress(connected);
  const hops = forwarded?.split(",") ?? [];
  while (hops.length > 0 && proxies.has(address)) {
    const hop = unmapAddress(withoutPort((hops.pop() ?? "").trim()));
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** The key of rate limits: an IPv4 address, or the IPv6 /64, because a caller can choose any address within its /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = "", back] = (address.split("%")[0] ?? "").split("::");
  const first = front.split(":").filter(Boolean);
  const last = back?.split(":").filter(Boolean) ?? [];
  // Parses an IPv6 address. `::` means zero groups; a dotted IPv4 tail counts as two groups.
  const lastCount = last.length + (last.at(-1)?.includes(".") ? 1 : 0);
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - lastCount) }, () => "0");
  const groups = [...first, ...zeros, ...last].slice(0, 4).map((group) => parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/64`;
}

/** The address as IPv4 if it is an IPv4-mapped IPv6 address, which a dual-stack socket reports. */
function unmapAddress(address: string): string {
  const mapped = address.startsWith("::ffff:") ? address.slice("::ffff:".length) : "";
  return isIPv4(mapped) ? mapped : address;
}

function withoutPort(hop: string): string {
  const [, address] = /^\[(.+)\](?::\d+)?$/.exec(hop) ?? /^([\d.]+):\d+$/.exec(hop) ?? [];
  return address ?? hop;
}
