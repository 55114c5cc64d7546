import { join } from "node:path";
import type { NodeProxies } from "./node-proxies.ts";

export interface ClusterSettings {
  readonly folder: string;
  readonly password: string;
  readonly haproxyPort: number;
}

export interface PatroniNode {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  /** The folder of the node's PostgreSQL programs. */
  readonly binFolder: string;
  /** The proxies between the node and the other nodes and etcd, so that a proof can disconnect the node. */
  readonly proxies: Pick<NodeProxies, "etcdPorts" | "port" | "restPort">;
}

/** The settings of docs/operating/high-availability.md. JSON is valid YAML. */
export function buildNodeConfig(
  settings: ClusterSettings,
  { name, port, restPort, binFolder, proxies }: PatroniNode,
): string {
  const nodeFolder = join(settings.folder, name);
  const login = (username: string): object => ({ username, password: settings.password });
  return JSON.stringify({
    scope: "tollgate",
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${proxies.restPort}` },
    // Without `use_proxies`, Patroni reads the members' own addresses from etcd, and bypasses the fault proxies. Omit
    // this setting in production.
    etcd3: { hosts: proxies.etcdPorts.map((etcdPort) => `127.0.0.1:${etcdPort}`), use_proxies: true },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        primary_start_timeout: 0,
        failsafe_mode: true,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 200,
            wal_keep_size: "256MB",
            synchronous_commit: "on",
            // A silently disconnected standby blocks all commits for this time. PostgreSQL's default is one minute.
            wal_sender_timeout: "10s",
            wal_receiver_timeout: "10s",
          },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${proxies.port}`,
      data_dir: join(nodeFolder, "data"),
      bin_dir: binFolder,
      pgpass: join(nodeFolder, "pgpass"),
      // A copy begins with a checkpoint, which otherwise takes most of checkpoint_timeout.
      create_replica_methods: ["basebackup"],
      basebackup: [{ checkpoint: "fast" }],
      pg_hba: ["host replication all 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 scram-sha-256"],
      authentication: {
        superuser: login("postgres"),
        replication: login("replicator"),
        rewind: login("rewinder"),
      },
      parameters: { unix_socket_directories: nodeFolder, shared_buffers: "64MB" },
    },
  });
}

/**
 * Returns the HAProxy configuration, which routes to the leader and closes the connections to a node that has lost the
 * leadership.
 */
export function buildHaproxyConfig({ haproxyPort }: ClusterSettings, nodes: readonly PatroniNode[]): string {
  const servers = nodes.map(
    ({ name, port, restPort }) => `    server ${name} 127.0.0.1:${port} check port ${restPort}`,
  );
  return `
global
    maxconn 1000
defaults
    mode tcp
    timeout connect 2s
    timeout client 1h
    timeout server 1h
    timeout check 1s
listen primary
    bind 127.0.0.1:${haproxyPort}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}
