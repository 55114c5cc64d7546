import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

/** A URL of the portal with a name that the person chose. */
export interface SavedView {
  readonly name: string;
  readonly address: string;
}

/** A person in an organisation. */
export interface ViewOwner {
  readonly organisationId: string;
  readonly personId: string;
}

export async function listSavedViews(
  tx: Tx,
  { organisationId, personId }: ViewOwner,
): Promise<readonly SavedView[]> {
  return tx.query<{ name: string; address: string }>(sql`
    select name, address from saved_views
    where organisation_id = ${organisationId} and person_id = ${personId}
    order by lower(name), name
  `);
}

/** `saveView` inserts the view, or replaces the URL of a view with the same name (upsert). */
export async function saveView(
  tx: Tx,
  { organisationId, personId }: ViewOwner,
  { name, address }: SavedView,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into saved_views (organisation_id, person_id, name, address, saved_at)
    values (${organisationId}, ${personId}, ${name}, ${address}, ${now})
    on conflict (organisation_id, person_id, name) do update
      set address = excluded.address, saved_at = excluded.saved_at
  `);
}

export async function deleteSavedView(
  tx: Tx,
  { organisationId, personId }: ViewOwner,
  name: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from saved_views
    where organisation_id = ${organisationId} and person_id = ${personId} and name = ${name}
    returning name
  `);
  return rows.length > 0;
}
