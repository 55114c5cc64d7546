import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { startFaultProxy, type FaultProxy } from "../installation/fault-proxy.ts";

/** The network around one node: its connections to etcd, and the connections of the other nodes to it. */
export interface NodeProxies {
  /** The proxy ports at which this node reaches etcd. */
  readonly etcdPorts: readonly number[];
  /**
   * The proxy ports at which other nodes reach this node's PostgreSQL (`port`) and Patroni (`restPort`). HAProxy has
   * separate connections.
   */
  readonly port: number;
  readonly restPort: number;
  cutFromEtcd(): void;
  /** Stops the WAL stream to this standby. */
  cutFromStandby(name: string): void;
  /** Stops requests of other nodes' Patronis to this node's Patroni. */
  cutRest(): void;
  heal(): void;
  close(): Promise<void>;
}

export interface NodePorts {
  readonly etcd: readonly number[];
  readonly postgresql: number;
  readonly restApi: number;
}

const blackHole = { kind: "black-hole" } as const;
/**
 * The length of a client's request for TLS or GSSAPI, which comes before its startup packet. Neither is available on
 * loopback.
 */
const encryptionRequestBytes = 8;

export async function startNodeProxies(
  ports: NodePorts,
  standbyNames: readonly string[],
): Promise<NodeProxies> {
  const etcd = await Promise.all(ports.etcd.map((port) => startFaultProxy(port)));
  const restApi = await startFaultProxy(ports.restApi);
  const otherClients = await startFaultProxy(ports.postgresql);
  const standbys = new Map<string, FaultProxy>();
  for (const name of standbyNames) standbys.set(name, await startFaultProxy(ports.postgresql));
  const server = createServer({ noDelay: true }, (incoming) =>
    routeConnection(incoming, standbys, otherClients),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const allProxies = [...etcd, restApi, otherClients, ...standbys.values()];
  return {
    etcdPorts: etcd.map(({ port }) => port),
    restPort: restApi.port,
    port: (server.address() as AddressInfo).port,
    cutFromEtcd: () => etcd.forEach((proxy) => proxy.fail(blackHole)),
    cutFromStandby: (name) => standbys.get(name)?.fail(blackHole),
    cutRest: () => restApi.fail(blackHole),
    heal: () => allProxies.forEach((proxy) => proxy.heal()),
    async close() {
      await Promise.all(allProxies.map((proxy) => proxy.close()));
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Chooses the proxy by the name in a standby's first packet, so that each standby can be disconnected alone. */
function routeConnection(
  incoming: Socket,
  standbys: ReadonlyMap<string, FaultProxy>,
  otherClients: FaultProxy,
): void {
  incoming.on("error", () => undefined);
  incoming.once("data", (firstPacket: Buffer) => {
    if (firstPacket.length === encryptionRequestBytes) {
      incoming.write("N");
      return routeConnection(incoming, standbys, otherClients);
    }
    const packetText = firstPacket.toString("latin1");
    const name = [...standbys.keys()].find((each) => packetText.includes(`application_name\0${each}\0`));
    const proxy = (name !== undefined && standbys.get(name)) || otherClients;
    const outgoing = connect({ port: proxy.port, host: "127.0.0.1", noDelay: true });
    outgoing.on("error", () => undefined);
    outgoing.on("close", () => incoming.destroy());
    incoming.on("close", () => outgoing.destroy());
    outgoing.write(firstPacket);
    incoming.pipe(outgoing).pipe(incoming);
  });
}
