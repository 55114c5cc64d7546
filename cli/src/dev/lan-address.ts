import { networkInterfaces } from "node:os";

/** Virtual networks of the machine itself, which phones can not reach. */
const virtualNetworks = /^(?:docker|br-|veth|virbr|vmnet|vboxnet|utun|tun|tap|wg)/;

/** Returns this machine's address in its network, at which a phone in the same network can reach it. */
export function findLanAddress(interfaces = networkInterfaces()): string {
  const addresses = Object.entries(interfaces)
    .filter(([name]) => !virtualNetworks.test(name))
    .flatMap(([, list = []]) => list)
    .filter(
      ({ family, internal, address }) => family === "IPv4" && !internal && !address.startsWith("169.254."),
    )
    .map(({ address }) => address);
  const found = addresses.find(isPrivate) ?? addresses[0];
  if (found !== undefined) return found;
  throw new Error(
    "--lan needs a network, and this machine has no IPv4 address in one. Connect it to the phone's Wi-Fi, or start without --lan.",
  );
}

/** Private networks of homes and offices are preferred to an address that the whole internet might reach. */
function isPrivate(address: string): boolean {
  return /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(address);
}
