import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { startFaultProxy, type FaultProxy } from "../installation/fault-proxy.ts";

/** The network around one node: its connections to etcd, and the connections of the other nodes to it. */
export interface NodeLines {
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
  readonly rest: number;
}

const blackHole = { kind: "black-hole" } as const;
/**
 * The length of a client's request for TLS or GSSAPI, which comes before its startup packet. Neither is available on
 * loopback.
 */
const askBytes = 8;

export async function startNodeLines(ports: NodePorts, others: readonly string[]): Promise<NodeLines> {
  const etcd = await Promise.all(ports.etcd.map((port) => startFaultProxy(port)));
  const rest = await startFaultProxy(ports.rest);
  const anybody = await startFaultProxy(ports.postgresql);
  const standbys = new Map<string, FaultProxy>();
  for (const name of others) standbys.set(name, await startFaultProxy(ports.postgresql));
  const door = createServer({ noDelay: true }, (inside) => passOn(inside, standbys, anybody));
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const all = [...etcd, rest, anybody, ...standbys.values()];
  return {
    etcdPorts: etcd.map(({ port }) => port),
    restPort: rest.port,
    port: (door.address() as AddressInfo).port,
    cutFromEtcd: () => etcd.forEach((line) => line.fail(blackHole)),
    cutFromStandby: (name) => standbys.get(name)?.fail(blackHole),
    cutRest: () => rest.fail(blackHole),
    heal: () => all.forEach((line) => line.heal()),
    async close() {
      await Promise.all(all.map((line) => line.close()));
      await new Promise((resolve) => door.close(resolve));
    },
  };
}

/** Chooses the proxy by the name in a standby's first packet, so that each standby can be disconnected alone. */
function passOn(inside: Socket, standbys: ReadonlyMap<string, FaultProxy>, anybody: FaultProxy): void {
  inside.on("error", () => undefined);
  inside.once("data", (first: Buffer) => {
    if (first.length === askBytes) {
      inside.write("N");
      return passOn(inside, standbys, anybody);
    }
    const said = first.toString("latin1");
    const name = [...standbys.keys()].find((each) => said.includes(`application_name\0${each}\0`));
    const line = (name !== undefined && standbys.get(name)) || anybody;
    const outside = connect({ port: line.port, host: "127.0.0.1", noDelay: true });
    outside.on("error", () => undefined);
    outside.on("close", () => inside.destroy());
    inside.on("close", () => outside.destroy());
    outside.write(first);
    inside.pipe(outside).pipe(inside);
  });
}
