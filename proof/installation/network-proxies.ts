import type { Cluster } from "./postgres-cluster.ts";
import { startFaultProxy, type FaultProxy } from "./fault-proxy.ts";

/** Every network connection between two parts, as a fault proxy. */
export interface NetworkProxies {
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

interface ProxyPorts {
  readonly shopPort: number;
  readonly servePorts: readonly number[];
  readonly providerPorts: readonly number[];
  readonly secondCellPorts: readonly number[];
}

export async function openProxies(
  cluster: Cluster,
  { shopPort, servePorts, providerPorts, secondCellPorts }: ProxyPorts,
): Promise<NetworkProxies> {
  return {
    merchantsToServe: await Promise.all(servePorts.map((port) => startFaultProxy(port))),
    gatewayToProviders: await Promise.all(providerPorts.map((port) => startFaultProxy(port))),
    providerToServe: await startFaultProxy(...servePorts),
    workToShop: await startFaultProxy(shopPort),
    servesToDatabase: await Promise.all([...servePorts, ...secondCellPorts].map(() => cluster.newProxy())),
    workToDatabase: await cluster.newProxy(),
    toSecondCell: await Promise.all(secondCellPorts.map((port) => startFaultProxy(port))),
  };
}

export async function closeProxies(proxies: NetworkProxies): Promise<void> {
  const allProxies = Object.values(proxies).flatMap((proxy: FaultProxy | FaultProxy[]) => [proxy].flat());
  await Promise.all(allProxies.map((proxy) => proxy.close()));
}
