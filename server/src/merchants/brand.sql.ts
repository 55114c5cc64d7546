import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { noBrand, type Brand, type LogoType } from "./brand.ts";

/** A change of a brand: undefined keeps a part, and null removes it. */
export interface BrandChange {
  readonly colour: string | null | undefined;
  readonly supportUrl: string | null | undefined;
  readonly logo: { readonly bytes: Uint8Array; readonly type: LogoType } | null | undefined;
}

export async function findBrand(tx: Tx, { bucket, clientId }: ClientKey): Promise<Brand> {
  const [row] = await tx.query<BrandRow>(sql`
    select colour, support_url, logo_type from brands where bucket = ${bucket} and client_id = ${clientId}
  `);
  return row ? toBrand(row) : noBrand;
}

export async function findLogo(
  tx: Tx,
  { bucket, clientId }: ClientKey,
): Promise<{ readonly bytes: Buffer; readonly type: LogoType } | undefined> {
  const [row] = await tx.query<{ logo: Buffer | null; logo_type: LogoType | null }>(sql`
    select logo, logo_type from brands where bucket = ${bucket} and client_id = ${clientId}
  `);
  return row?.logo && row.logo_type ? { bytes: row.logo, type: row.logo_type } : undefined;
}

export async function updateBrand(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { colour, supportUrl, logo }: BrandChange,
): Promise<Brand> {
  const [row] = await tx.query<BrandRow>(sql`
    insert into brands as b (bucket, client_id, colour, support_url, logo, logo_type)
    values (${bucket}, ${clientId}, ${colour ?? undefined}, ${supportUrl ?? undefined}, ${logo?.bytes}, ${logo?.type})
    on conflict (bucket, client_id) do update set
      colour = case when ${colour !== undefined}::boolean then excluded.colour else b.colour end,
      support_url = case when ${supportUrl !== undefined}::boolean then excluded.support_url else b.support_url end,
      logo = case when ${logo !== undefined}::boolean then excluded.logo else b.logo end,
      logo_type = case when ${logo !== undefined}::boolean then excluded.logo_type else b.logo_type end
    returning colour, support_url, logo_type
  `);
  return row ? toBrand(row) : noBrand;
}

interface BrandRow {
  readonly colour: string | null;
  readonly support_url: string | null;
  readonly logo_type: LogoType | null;
}

function toBrand({ colour, support_url, logo_type }: BrandRow): Brand {
  return {
    colour: colour ?? undefined,
    supportUrl: support_url ?? undefined,
    logoType: logo_type ?? undefined,
  };
}
