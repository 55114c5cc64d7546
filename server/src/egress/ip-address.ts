/** An address in network order: the four bytes of IPv4, or the sixteen of IPv6. */
export type IpAddress = Uint8Array;

/** Addresses of the gateway's own machine, which an operator may allow as a destination. */
const loopback = { "127.0.0.0/8": "loopback", "::1/128": "loopback" };

/**
 * SSRF deny list: addresses that IANA reserves for special use, routable or not. The list includes IPv6 addresses that
 * contain an IPv4 address, because a network gateway could unwrap it.
 */
const reservedBlocks = {
  "0.0.0.0/8": "this network",
  "10.0.0.0/8": "private",
  "100.64.0.0/10": "shared by a carrier",
  "169.254.0.0/16": "link-local",
  "172.16.0.0/12": "private",
  "192.0.0.0/24": "protocol assignments",
  "192.0.2.0/24": "documentation",
  "192.31.196.0/24": "AS112",
  "192.52.193.0/24": "multicast relays",
  "192.88.99.0/24": "6to4 relays",
  "192.168.0.0/16": "private",
  "192.175.48.0/24": "AS112",
  "198.18.0.0/15": "benchmarks",
  "198.51.100.0/24": "documentation",
  "203.0.113.0/24": "documentation",
  "224.0.0.0/4": "multicast",
  "240.0.0.0/4": "class E",
  // A public address of Azure's host agent, which every machine in that cloud can reach.
  "168.63.129.16/32": "a cloud's own",
  "::/128": "unspecified",
  "::/96": "IPv4-compatible",
  "::ffff:0:0/96": "IPv4-mapped",
  "::ffff:0:0:0/96": "IPv4-translated",
  "64:ff9b::/96": "NAT64",
  "64:ff9b:1::/48": "local NAT64",
  "100::/64": "discard",
  "100:0:0:1::/64": "dummy",
  "2001::/32": "Teredo",
  "2001:2::/48": "benchmarks",
  "2001:10::/28": "ORCHID",
  "2001:20::/28": "ORCHID",
  "2001::/23": "protocol assignments",
  "2001:db8::/32": "documentation",
  "2002::/16": "6to4",
  "2620:4f:8000::/48": "AS112",
  "3ffe::/16": "6bone",
  "3fff::/20": "documentation",
  "5f00::/16": "segment routing",
  "fc00::/7": "unique local",
  "fe80::/10": "link-local",
  "fec0::/10": "site-local",
  "ff00::/8": "multicast",
};

interface AddressBlock {
  readonly start: IpAddress;
  readonly bits: number;
  readonly name: string;
}

const loopbackBlocks = parseBlocks(loopback);
const forbiddenBlocks = parseBlocks(reservedBlocks);
/** The block of all IPv6 addresses that have been allocated so far. */
const globalUnicast = parseBlock("2000::/3", "global unicast");

/** Returns why the gateway must not call this address, in words for the operator; undefined if it may. */
export function forbiddenReason(
  address: IpAddress,
  { allowsLoopback }: { readonly allowsLoopback: boolean },
): string | undefined {
  if (isLoopback(address)) return allowsLoopback ? undefined : "loopback";
  const block = forbiddenBlocks.find((candidate) => isWithin(address, candidate));
  if (block) return block.name;
  if (address.length === 4) return undefined;
  if (!isWithin(address, globalUnicast)) return "not handed out";

  const embedded = extractIsatapAddress(address);
  const reason = embedded && forbiddenReason(embedded, { allowsLoopback: false });
  return reason && `tunnel to: ${reason}`;
}

export function isLoopback(address: IpAddress): boolean {
  return loopbackBlocks.some((block) => isWithin(address, block));
}

/**
 * Parses an address in the strict spellings of `URL`, DNS and sockets. Returns undefined for any other text, and for an
 * address with a zone.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  const isValid = parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isValid ? Uint8Array.from(parts, Number) : undefined;
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [before, after] = [parseGroups(halves[0] ?? ""), parseGroups(halves[1] ?? "")];
  if (!before || !after) return undefined;

  const missing = 8 - before.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => 0), ...after];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

/** The 16-bit groups of one side of `::`; the last two may be spelled as an IPv4 address. */
function parseGroups(text: string): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const dotted = parts.at(-1)?.includes(".") ? parseIpv4(parts.pop() ?? "") : new Uint8Array();
  if (!dotted || !parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = dotted;
  return [
    ...parts.map((part) => Number.parseInt(part, 16)),
    ...(dotted.length ? [a * 256 + b, c * 256 + d] : []),
  ];
}

/** Returns the IPv4 address in an ISATAP interface id, which may have any prefix. */
function extractIsatapAddress(address: IpAddress): IpAddress | undefined {
  const [flags, zero, ...marker] = address.subarray(8, 12);
  const isIsatap = ((flags ?? 0) & 0xfd) === 0 && zero === 0 && marker[0] === 0x5e && marker[1] === 0xfe;
  return isIsatap ? address.subarray(12) : undefined;
}

function isWithin(address: IpAddress, { start, bits }: AddressBlock): boolean {
  if (address.length !== start.length) return false;
  const wholeBytes = bits >> 3;
  for (let at = 0; at < wholeBytes; at++) if (address[at] !== start[at]) return false;
  const unusedBits = 8 - (bits & 7);
  return (
    unusedBits === 8 || (address[wholeBytes] ?? 0) >> unusedBits === (start[wholeBytes] ?? 0) >> unusedBits
  );
}

function parseBlocks(table: Readonly<Record<string, string>>): readonly AddressBlock[] {
  return Object.entries(table).map(([text, name]) => parseBlock(text, name));
}

function parseBlock(text: string, name: string): AddressBlock {
  const [start = "", bits] = text.split("/");
  const address = parseIpAddress(start);
  if (!address) throw new Error(`${text} is no block of addresses.`);
  return { start: address, bits: Number(bits), name };
}
