import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/** A message of the operator for all people in the portal. */
export interface Announcement {
  readonly text: string;
  readonly tone: "notice" | "warning";
  readonly endsAt: Date;
}

/** `findAnnouncement` returns the newest announcement, unless it has expired. */
export async function findAnnouncement(tx: Tx, now: Date): Promise<Announcement | undefined> {
  const [row] = await tx.query<{ text: string; tone: Announcement["tone"]; ends_at: Date }>(sql`
    select text, tone, ends_at from announcements order by announcement_id desc limit 1
  `);
  return row && row.ends_at > now ? { text: row.text, tone: row.tone, endsAt: row.ends_at } : undefined;
}

export async function insertAnnouncement(
  tx: Tx,
  { text, tone, endsAt }: Announcement,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into announcements (text, tone, made_at, ends_at) values (${text}, ${tone}, ${now}, ${endsAt})
  `);
}

export async function updateAnnouncementsEnded(tx: Tx, now: Date): Promise<void> {
  await tx.query(sql`update announcements set ends_at = ${now} where ends_at > ${now}`);
}
