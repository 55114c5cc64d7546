import { bucketOf } from "../core/bucket.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { house } from "./account.ts";
import type { FeeRule, ProviderCost } from "./fee-rule.ts";
import type { FeeTerms, RefundPolicy } from "./fee.ts";

/** A new fee rule; its id and its creation time are set when it is stored. */
export type NewFeeRule = Omit<FeeRule, "setAt" | "terms"> & { readonly terms: FeeTerms & { ruleId: string } };

export async function insertFeeRule(tx: Tx, rule: NewFeeRule): Promise<void> {
  const { clientId = house, paymentMethodType, currency, fromAt, terms } = rule;
  await tx.query(sql`
    insert into fee_rules (bucket, client_id, rule_id, payment_method_type, currency, from_at, rate_millionths,
      fixed_minor, minimum_minor, maximum_minor, tax_millionths, refund_policy, refund_fixed_minor)
    values (${bucketOf(clientId)}, ${clientId}, ${terms.ruleId}, ${paymentMethodType}, ${currency}, ${fromAt},
      ${terms.rateMillionths}, ${terms.fixedMinor}, ${terms.minimumMinor}, ${terms.maximumMinor},
      ${terms.taxMillionths}, ${terms.refundPolicy}, ${terms.refundFixedMinor})
  `);
}

/**
 * Lists the fee rules of a merchant and the general ones, or the rules of all merchants, for an operator with
 * oversight. The rules are in the order of their creation.
 */
export async function listFeeRules(tx: Tx, clientId: string | undefined): Promise<readonly FeeRule[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ rule: FeeRuleJson }>(sql`
    select to_jsonb(f) as rule from fee_rules f
    where ${clientId}::text is null or (bucket, client_id) in
      ((${bucketOf(clientId ?? house)}, ${clientId}), (${bucketOf(house)}, ${house}))
    order by set_at
  `);
  return rows.map(({ rule }) => toFeeRule(rule));
}

/** The row of a fee rule as JSON, as the gateway loads it together with the merchant. */
export interface FeeRuleJson {
  readonly client_id: string;
  readonly rule_id: string;
  readonly payment_method_type: string | null;
  readonly currency: string | null;
  readonly from_at: string;
  readonly rate_millionths: number;
  readonly fixed_minor: number;
  readonly minimum_minor: number;
  readonly maximum_minor: number | null;
  readonly tax_millionths: number;
  readonly refund_policy: RefundPolicy;
  readonly refund_fixed_minor: number;
  readonly set_at: string;
}

export function toFeeRule(row: FeeRuleJson): FeeRule {
  return {
    clientId: row.client_id === house ? undefined : row.client_id,
    paymentMethodType: row.payment_method_type ?? undefined,
    currency: row.currency ?? undefined,
    fromAt: new Date(row.from_at),
    setAt: new Date(row.set_at),
    terms: {
      ruleId: row.rule_id,
      rateMillionths: BigInt(row.rate_millionths),
      fixedMinor: BigInt(row.fixed_minor),
      minimumMinor: BigInt(row.minimum_minor),
      maximumMinor: row.maximum_minor === null ? undefined : BigInt(row.maximum_minor),
      taxMillionths: BigInt(row.tax_millionths),
      refundPolicy: row.refund_policy,
      refundFixedMinor: BigInt(row.refund_fixed_minor),
    },
  };
}

export async function insertProviderCost(
  tx: Tx,
  cost: Omit<ProviderCost, "setAt"> & { readonly costId: string },
): Promise<void> {
  await tx.query(sql`
    insert into provider_costs (connector, cost_id, payment_method_type, currency, from_at, rate_millionths, fixed_minor)
    values (${cost.connector}, ${cost.costId}, ${cost.paymentMethodType}, ${cost.currency}, ${cost.fromAt},
      ${cost.rateMillionths}, ${cost.fixedMinor})
  `);
}

/** Ordered by creation. */
export async function listProviderCosts(
  tx: Tx,
  connector: string | undefined,
): Promise<readonly ProviderCost[]> {
  const rows = await tx.query<ProviderCostRow>(sql`
    select ${costColumns} from provider_costs where ${connector}::text is null or connector = ${connector}
    order by set_at
  `);
  return rows.map((row) => ({
    connector: row.connector,
    paymentMethodType: row.payment_method_type ?? undefined,
    currency: row.currency ?? undefined,
    fromAt: row.from_at,
    setAt: row.set_at,
    rateMillionths: BigInt(row.rate_millionths),
    fixedMinor: BigInt(row.fixed_minor),
  }));
}

const costColumns = fragment`connector, payment_method_type, currency, from_at, set_at, rate_millionths, fixed_minor`;

interface ProviderCostRow {
  readonly connector: string;
  readonly payment_method_type: string | null;
  readonly currency: string | null;
  readonly from_at: Date;
  readonly set_at: Date;
  readonly rate_millionths: number;
  readonly fixed_minor: string;
}
