import { forbiddenReason, isLoopback, parseIpAddress } from "./ip-address.ts";

export interface DestinationRules {
  readonly environment: "sandbox" | "live";
  /** Ports that the operator allows in addition to the default ones. */
  readonly ports: readonly number[];
  /**
   * Whether webhooks may go to the gateway's own machine: useful on a laptop, wrong on a machine that serves other
   * users.
   */
  readonly allowsLoopback: boolean;
}

/**
 * The destination of a webhook. The URL is parsed only once, so that no second parser can read it differently (SSRF).
 */
export interface Destination {
  readonly isSecure: boolean;
  /** The host of the destination: a name without a dot at its end, or a literal address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The value of the Host header. */
  readonly authority: string;
  /** Path and query, as they are sent and signed. */
  readonly path: string;
  /** The addresses that are known without DNS, and checked against the forbidden blocks; undefined for a name. */
  readonly addresses: readonly string[] | undefined;
}

export interface RefusedDestination {
  readonly refused: "not a URL" | "scheme" | "user-info" | "fragment" | "port" | "name" | "address";
}

const defaultPorts = { live: [443, 8443], sandbox: [80, 443, 8443] };

/** Names that are never public, whatever a resolver returns. */
const localNames = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/** Returns the destination of a merchant's URL, or why the URL is rejected. */
export function parseDestination(text: string, rules: DestinationRules): Destination | RefusedDestination {
  const url = URL.parse(text);
  if (!url) return { refused: "not a URL" };
  const isSecure = url.protocol === "https:";
  if (!isSecure && !(url.protocol === "http:" && rules.environment === "sandbox"))
    return { refused: "scheme" };
  if (url.username !== "" || url.password !== "") return { refused: "user-info" };
  if (url.href.includes("#")) return { refused: "fragment" };

  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const addresses = knownAddresses(host, rules);
  if (addresses && "refused" in addresses) return addresses;
  if (!addresses && !isPublicName(host)) return { refused: "name" };

  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  const allowedPorts = [...defaultPorts[rules.environment], ...rules.ports];
  if (!addresses?.every(isLoopbackText) && !allowedPorts.includes(port)) return { refused: "port" };
  if (port === 0) return { refused: "port" };
  return {
    isSecure,
    host,
    port,
    authority: url.host.replace(/\.(?=:|$)/, ""),
    path: url.pathname + url.search,
    addresses,
  };
}

function knownAddresses(
  host: string,
  { allowsLoopback }: DestinationRules,
): readonly string[] | RefusedDestination | undefined {
  // The name `localhost` is not resolved by DNS, which could return any address.
  if (allowsLoopback && /(?:^|\.)localhost$/.test(host)) return ["127.0.0.1", "::1"];
  const address = parseIpAddress(host);
  if (!address) return undefined;
  return forbiddenReason(address, { allowsLoopback }) ? { refused: "address" } : [host];
}

function isLoopbackText(text: string): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && isLoopback(address);
}

/**
 * Whether a name is public: it needs at least two labels, because some resolvers complete a single label to a machine
 * of the gateway's own network.
 */
function isPublicName(name: string): boolean {
  const labels = name.split(".");
  const isValid = labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  return isValid && labels.length > 1 && name.length <= 253 && !localNames.test(name);
}
