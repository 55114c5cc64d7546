import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";

interface NotifyUrl extends ClientKey {
  readonly kind: string;
  readonly url: string;
}

/** The webhook URLs of a merchant, and its paused delivery queues. */
export interface Endpoints {
  readonly notifyUrls: readonly { readonly kind: string; readonly url: string }[];
  readonly paused: readonly string[];
}

export function insertNotifyUrl(tx: Tx, { bucket, clientId, kind, url }: NotifyUrl): void {
  tx.write(sql`
    insert into notify_urls (bucket, client_id, kind, url) values (${bucket}, ${clientId}, ${kind}, ${url})
    on conflict (bucket, client_id, kind) do update set url = excluded.url
  `);
}

export function deleteNotifyUrl(tx: Tx, { bucket, clientId, kind }: Omit<NotifyUrl, "url">): void {
  tx.write(sql`
    delete from notify_urls where bucket = ${bucket} and client_id = ${clientId} and kind = ${kind}
  `);
}

export async function listEndpoints(tx: Tx, { bucket, clientId }: ClientKey): Promise<Endpoints> {
  const [notifyUrls, paused] = await Promise.all([
    tx.query<{ kind: string; url: string }>(sql`
      select kind, url from notify_urls where bucket = ${bucket} and client_id = ${clientId} order by kind
    `),
    tx.query<{ queue: string }>(sql`
      select queue from paused_queues where bucket = ${bucket} and client_id = ${clientId} order by queue
    `),
  ]);
  // The name of a delivery queue is the client id, a space, and the origin of the URL or the kind.
  return { notifyUrls, paused: paused.map(({ queue }) => queue.slice(clientId.length + 1)) };
}
