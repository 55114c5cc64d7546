import { bucketOf } from "../core/bucket.ts";
import type { Directory, DirectoryCell } from "./directory.ts";

/**
 * The configuration files of an edge proxy, by file name. The edge proxy routes every request to its home cell.
 * Requires HAProxy 2.6 or later.
 */
export interface EdgeFiles {
  readonly "haproxy.cfg": string;
  readonly "clients.map": string;
  readonly "buckets.map": string;
}

export interface EdgeOptions {
  /** The address on which the edge proxy listens, in HAProxy's syntax: `:443 ssl crt /etc/haproxy/pay.example.pem`. */
  readonly bind: string;
  /** The folder in which HAProxy finds the files. */
  readonly folder: string;
  /** The region of the edge proxy, if the directory has regions. */
  readonly region?: string | undefined;
}

/**
 * `renderEdgeFiles` returns the configuration of an edge proxy. The proxy routes a request by the client's own entry
 * first, then by its bucket, because a moved merchant is not at its bucket's owner. A request without a client id goes
 * to any cell. A proxy that has stale files, or is not in the region of the merchant's home, routes to a cell that
 * forwards. If the network between regions is cut, cells detect the cut within a second and respond U.
 */
export function renderEdgeFiles(directory: Directory, { bind, folder, region }: EdgeOptions): EdgeFiles {
  const cells = cellsInRegion(directory, region);
  const names = [...cells.keys()];
  const routedCell = (cell: string, bucket: number): string =>
    cells.has(cell) ? cell : (names[bucket % names.length] ?? cell);
  const mapFile = (entries: Iterable<readonly [string | number, string]>): string =>
    [...entries].map(([key, cell]) => `${key} ${cell}\n`).join("");
  return {
    "haproxy.cfg": configuration({ version: directory.version, cells }, { bind, folder }),
    "clients.map": mapFile(
      [...directory.clients].map(
        ([clientId, { cell }]) => [clientId, routedCell(cell, bucketOf(clientId))] as const,
      ),
    ),
    "buckets.map": mapFile(
      [...directory.buckets.entries()].map(([bucket, cell]) => [bucket, routedCell(cell, bucket)] as const),
    ),
  };
}

/** `cellsInRegion` returns all cells, or those of the proxy's own region. */
function cellsInRegion({ cells }: Directory, region: string | undefined): ReadonlyMap<string, DirectoryCell> {
  if (region === undefined) return cells;
  const cellsOfRegion = new Map([...cells].filter(([, cell]) => cell.region === region));
  if (cellsOfRegion.size === 0) throw new Error(`The directory has no cell in the region ${region}.`);
  return cellsOfRegion;
}

function configuration(
  { version, cells }: Pick<Directory, "version" | "cells">,
  { bind, folder }: EdgeOptions,
): string {
  const names = [...cells.keys()];
  return `# Made by \`tollgate cells edge\` from version ${version} of the directory. Name this proxy in TOLLGATE_TRUSTED_PROXIES of every cell.
global
    log stdout format raw local0 notice

defaults
    mode http
    log global
    timeout connect 1s
    timeout client 70s
    timeout server 30s
    timeout http-keep-alive 70s
    retries 3
    option redispatch 1
    retry-on conn-failure
    option forwardfor

frontend merchants
    bind ${bind}
    # The client: of a call in its header, of a checkout page and of a provider's callback in the path.
    http-request set-var(txn.client) req.hdr(client-id)
    http-request set-var(txn.client) path,field(3,/),field(1,.) if { path_beg /checkout/ }
    http-request set-var(txn.client) path,field(5,/) if { path_beg /providers/ }
    # Its bucket: the first ten bits of SHA-256.
    http-request set-var(txn.bucket) var(txn.client),sha2(256),bytes(0,2),be2dec(:,2),div(64)
    http-request set-var(txn.cell) var(txn.client),map_str(${folder}/clients.map)
    http-request set-var(txn.cell) var(txn.bucket),map_str(${folder}/buckets.map) if !{ var(txn.cell) -m found } { var(txn.client) -m found }
    use_backend cell-%[var(txn.cell)] if { var(txn.cell) -m found }
    default_backend cell-${names[0]}

${[...cells].map(([name, { url }]) => backend(name, url)).join("\n")}`;
}

/**
 * `backend` returns HAProxy's section for a cell. While the cell is down, the proxy responds U with the advice to
 * retry: a refusal would be wrong, because the outcome is unknown.
 */
function backend(name: string, url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const isSecure = protocol === "https:";
  const tls = isSecure ? " ssl verify required ca-file @system-ca" : "";
  return `backend cell-${name}
    option httpchk GET /readyz
    http-request return status 200 content-type "application/json; charset=UTF-8" string '${unknownOutcomeBody}' hdr Retry-After 1 if { path_beg /ams/ } { nbsrv eq 0 }
    default-server check inter 500ms fall 2 rise 1
    server ${name} ${hostname}:${port || (isSecure ? "443" : "80")}${tls}
`;
}

const unknownOutcomeBody = JSON.stringify({
  result: {
    resultCode: "UNKNOWN_EXCEPTION",
    resultStatus: "U",
    resultMessage: "The outcome is not known yet.",
  },
});
