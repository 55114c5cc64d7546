import { sql, type Tx } from "../../../server/src/postgres/sql.ts";
import type { Organisation } from "../organisations/organisation.ts";
import { organisationOf, type OrganisationRow } from "../organisations/organisation.sql.ts";
import { newReview, type Business, type Review, type ReviewStatus } from "./review.ts";

export async function findReview(tx: Tx, organisationId: string): Promise<Review> {
  const [row] = await tx.query<ReviewRow>(sql`
    select organisation_id, status, legal_name, registration_number, country, address, owner, website, sells,
      submission, submitted_at, decided_at, reason
    from reviews where organisation_id = ${organisationId}
  `);
  return row ? reviewOf(row) : newReview(organisationId);
}

/**
 * `lockReview` locks the review and creates it if it does not exist, so that a decision and a change run one after
 * the other (race).
 */
export async function lockReview(tx: Tx, organisationId: string): Promise<Review> {
  await tx.query(sql`
    insert into reviews (organisation_id, status) values (${organisationId}, 'draft') on conflict do nothing
  `);
  const [row] = await tx.query<ReviewRow>(sql`
    select organisation_id, status, legal_name, registration_number, country, address, owner, website, sells,
      submission, submitted_at, decided_at, reason
    from reviews where organisation_id = ${organisationId} for update
  `);
  return row ? reviewOf(row) : newReview(organisationId);
}

export async function updateBusiness(tx: Tx, organisationId: string, business: Business): Promise<void> {
  const { legalName, registrationNumber, country, address, owner, website, sells } = business;
  await tx.query(sql`
    update reviews set legal_name = ${legalName}, registration_number = ${registrationNumber}, country = ${country},
      address = ${address}, owner = ${owner}, website = ${website}, sells = ${sells}
    where organisation_id = ${organisationId}
  `);
}

export async function submitReview(tx: Tx, organisationId: string, now: Date): Promise<void> {
  await tx.query(sql`
    update reviews set status = 'submitted', submission = submission + 1, submitted_at = ${now}, decided_at = null,
      reason = null
    where organisation_id = ${organisationId}
  `);
}

export async function withdrawReview(tx: Tx, organisationId: string): Promise<void> {
  await tx.query(sql`update reviews set status = 'draft' where organisation_id = ${organisationId}`);
}

export async function closeReview(
  tx: Tx,
  organisationId: string,
  { status, reason, now }: { readonly status: ReviewStatus; readonly reason: string; readonly now: Date },
): Promise<void> {
  await tx.query(sql`
    update reviews set status = ${status}, reason = ${reason}, decided_at = ${now}
    where organisation_id = ${organisationId}
  `);
}

export interface ListedMerchant extends Organisation {
  readonly status: ReviewStatus;
  readonly submittedAt: Date | undefined;
}

/**
 * `listMerchants` returns pending reviews first, then merchants that are not in live, then all others; each group by
 * id.
 */
export async function listMerchants(tx: Tx, after: string | undefined): Promise<readonly ListedMerchant[]> {
  const rows = await tx.query<
    OrganisationRow & { readonly status: ReviewStatus; readonly submitted_at: Date | null }
  >(sql`
    with ranked as (
      select o.organisation_id, o.kind, o.name, o.live_since, coalesce(r.status, 'draft') as status, r.submitted_at,
        case when r.status = 'submitted' then 0 when o.live_since is null then 1 else 2 end as rank
      from organisations o left join reviews r on r.organisation_id = o.organisation_id where o.kind = 'merchant')
    select * from ranked where ${after}::text is null or (rank, organisation_id) > (
      select last.rank, last.organisation_id from ranked last where last.organisation_id = ${after})
    order by rank, organisation_id limit 200
  `);
  return rows.map((row) => ({
    ...organisationOf(row),
    status: row.status,
    submittedAt: row.submitted_at ?? undefined,
  }));
}

interface ReviewRow {
  readonly organisation_id: string;
  readonly status: ReviewStatus;
  readonly legal_name: string;
  readonly registration_number: string;
  readonly country: string;
  readonly address: string;
  readonly owner: string;
  readonly website: string;
  readonly sells: string;
  readonly submission: number;
  readonly submitted_at: Date | null;
  readonly decided_at: Date | null;
  readonly reason: string | null;
}

function reviewOf(row: ReviewRow): Review {
  const { country, address, owner, website, sells } = row;
  return {
    organisationId: row.organisation_id,
    status: row.status,
    business: {
      legalName: row.legal_name,
      registrationNumber: row.registration_number,
      country,
      address,
      owner,
      website,
      sells,
    },
    submission: row.submission,
    submittedAt: row.submitted_at ?? undefined,
    decidedAt: row.decided_at ?? undefined,
    reason: row.reason ?? undefined,
  };
}
