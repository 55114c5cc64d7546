import type { Cluster } from "./cluster.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";

/** Every network connection between two parts, as a fault proxy. */
export interface Lines {
  /** The proxies from merchants to each serving process. */
  readonly merchantsToServe: readonly FaultProxy[];
  readonly gatewayToProviders: readonly FaultProxy[];
  readonly providerToServe: FaultProxy;
  readonly workToShop: FaultProxy;
  /** The proxies to the database: one for each serving process, and one for the second cell. */
  readonly servesToDatabase: readonly FaultProxy[];
  readonly workToDatabase: FaultProxy;
  /** The proxies from the first cell to the second. */
  readonly toSecondCell: readonly FaultProxy[];
}

interface LinePorts {
  readonly shopPort: number;
  readonly servePorts: readonly number[];
  readonly walletPorts: readonly number[];
  readonly secondCellPorts: readonly number[];
}

export async function openLines(
  cluster: Cluster,
  { shopPort, servePorts, walletPorts, secondCellPorts }: LinePorts,
): Promise<Lines> {
  return {
    merchantsToServe: await Promise.all(servePorts.map((port) => startFaultProxy(port))),
    gatewayToProviders: await Promise.all(walletPorts.map((port) => startFaultProxy(port))),
    providerToServe: await startFaultProxy(...servePorts),
    workToShop: await startFaultProxy(shopPort),
    servesToDatabase: await Promise.all([...servePorts, ...secondCellPorts].map(() => cluster.newLine())),
    workToDatabase: await cluster.newLine(),
    toSecondCell: await Promise.all(secondCellPorts.map((port) => startFaultProxy(port))),
  };
}

export async function closeLines(lines: Lines): Promise<void> {
  const all = Object.values(lines).flatMap((line: FaultProxy | FaultProxy[]) => [line].flat());
  await Promise.all(all.map((line) => line.close()));
}
