import { randomInt } from "node:crypto";
import type { Operator } from "../../src/operator-session/owner-session.ts";
import { approveAccount, requestAccount } from "../../src/settlement/payouts/payout-accounts.workflow.ts";
import { setDebtorAccount, setTerms } from "../../src/settlement/settlement-terms.workflow.ts";
import { bucketOf } from "../../src/core/bucket.ts";
import { newId } from "../../src/core/id.ts";
import type { Money } from "../../src/core/money.ts";
import { conversionEffect } from "../../src/ledger/currency-conversion-effects.ts";
import { flatRateTerms } from "../../src/ledger/fee.ts";
import { payableAccount, paymentEffect, refundEffect, type Effect } from "../../src/ledger/transfer.ts";
import type { Terms } from "../../src/settlement/batch.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { operatorOf } from "../start/test-operator.ts";

export const ourBank = "first";
const eur = (minor: bigint): Money => ({ currency: "EUR", minor });

/** Example IBANs of the SWIFT registry. */
export const ibans = [
  "DE89370400440532013000",
  "FR1420041010050500013M02606",
  "GB29NWBK60161331926819",
] as const;

export const dailyTerms = {
  cycle: "D",
  daysAfter: 0,
  minimumMinor: 0n,
  reserveBasisPoints: 0,
  reserveDays: 0,
  settleIn: undefined,
} as const;

/** A database with a bank and merchants that are paid by it. */
export function newSettlementFixture(database: TestDatabase): SettlementFixture {
  const operator: Operator = { ...operatorOf(database), by: { name: "ada" } };
  const rows = <Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    asSuperuser<Row>(text, values, database.superuserUrl);
  const post: SettlementFixture["post"] = async (clientId, effect, at, subjectId) => {
    const bucket = bucketOf(clientId);
    const id = subjectId ?? newId("payment", bucket, at, (below) => randomInt(below));
    for (const [index, { debit, credit, amount }] of effect.transfers.entries())
      await rows(
        `insert into ledger_transfers
           (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        bucket,
        id,
        effect.name,
        index + 1,
        clientId,
        debit,
        credit,
        amount.currency,
        amount.minor,
        at,
      );
    return id;
  };
  return {
    operator,
    rows,
    post,
    async openBank(currency = "EUR") {
      const [, iban] = ibans;
      await setDebtorAccount(operator, {
        bank: ourBank,
        currency,
        holder: "Gateway SA",
        iban,
        bic: "BNPAFRPP",
      });
    },
    async openMerchant({ terms = {}, hasAccount = true } = {}) {
      const { clientId } = await newMerchant(database);
      await setTerms(operator, clientId, "EUR", { ...dailyTerms, fromDay: "2026-01-01", ...terms });
      if (!hasAccount) return clientId;
      const account = {
        currency: terms.settleIn ?? "EUR",
        holder: "Coffee Lab",
        iban: ibans[0],
        bic: undefined,
        waitHours: undefined,
      };
      const { accountId } = await requestAccount(operator, clientId, account);
      await approveAccount(operator, clientId, accountId);
      return clientId;
    },
    postPayment: (clientId, minor, at, feeBasisPoints = 0) =>
      post(clientId, paymentEffect(clientId, "w", eur(minor), flatRateTerms(feeBasisPoints)), new Date(at)),
    postRefund: (clientId, minor, at) =>
      post(clientId, refundEffect(clientId, "w", eur(minor)), new Date(at)),
    async owedMinor(clientId, currency) {
      return -(await balanceOf(rows, payableAccount(clientId), currency));
    },
    balance: (account, currency) => balanceOf(rows, account, currency),
  };
}

export interface SettlementFixture {
  readonly operator: Operator;
  rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  post(clientId: string, effect: Effect, at: Date, subjectId?: string): Promise<string>;
  openBank(currency?: string): Promise<void>;
  openMerchant(options?: { readonly terms?: Partial<Terms>; readonly hasAccount?: boolean }): Promise<string>;
  postPayment(clientId: string, minor: bigint, at: string, feeBasisPoints?: number): Promise<string>;
  postRefund(clientId: string, minor: bigint, at: string): Promise<string>;
  owedMinor(clientId: string, currency?: string): Promise<bigint>;
  /** Debits minus credits of an account over the whole ledger; in EUR by default. */
  balance(account: string, currency?: string): Promise<bigint>;
}

async function balanceOf(
  rows: SettlementFixture["rows"],
  account: string,
  currency = "EUR",
): Promise<bigint> {
  const [row] = await rows<{ sum: string }>(
    `select coalesce(sum(case when debit_account = $1 then amount_minor else -amount_minor end), 0)::text as sum
     from ledger_transfers where $1 in (debit_account, credit_account) and currency = $2`,
    account,
    currency,
  );
  return BigInt(row?.sum ?? 0);
}

/**
 * A merchant with a due batch of EUR 10.00, another one in a payout file, a conversion of EUR 2.00, and a USD bank
 * account that waits for approval.
 */
export async function insertTestPayouts(
  database: TestDatabase,
  clientId: string,
  sentId: string,
): Promise<void> {
  const { rows, postPayment, post } = newSettlementFixture(database);
  const bucket = bucketOf(clientId);
  const [iban] = ibans;
  await postPayment(clientId, 1200n, "2026-10-01T10:00:00Z");
  const conversion = conversionEffect(clientId, eur(200n), { currency: "USD", minor: 217n });
  await post(clientId, conversion, new Date("2026-10-02T10:00:00Z"));
  await rows(
    "insert into banks (name, currency, holder, iban, bic) values ($1, 'EUR', 'Us', $2, 'BNPAFRPP')",
    ourBank,
    iban,
  );
  await rows(
    `insert into bank_accounts (bucket, client_id, account_id, currency, holder, iban, iban_shown, wait_hours, asked_by,
       asked_login, asked_at, approved_by, approved_login, approved_at, usable_from)
     select $1, $2, id, currency, 'Coffee Lab', $3, left($3, 4) || ' … ' || right($3, 4), 0, 'ada', 'ada', now(),
       case when is_approved then 'grace' end, case when is_approved then 'grace' end,
       case when is_approved then now() end, case when is_approved then now() end
     from (values ('approved', 'EUR', true), ('asked-for', 'USD', false)) as given (id, currency, is_approved)`,
    bucket,
    clientId,
    iban,
  );
  await rows(
    `insert into settlement_terms (bucket, client_id, currency, from_day, cycle, days_after, minimum_minor, reserve_basis_points,
       reserve_days) values ($1, $2, 'EUR', '2026-01-01', 'D', 1, 0, 0, 0)`,
    bucket,
    clientId,
  );
  await rows(
    `insert into settlement_batches (bucket, client_id, batch_id, currency, from_day, to_day, due_day, gross_minor, refunds_minor,
       disputes_minor, fees_minor, tax_minor, other_minor, reserve_minor, carried_minor, net_minor, held_minor, status, closed_at,
       payout_id)
     values ($1, $2, 'due', 'EUR', '2026-10-01', '2026-10-01', '2026-10-02', 1000, 0, 0, 0, 0, 0, 0, 0, 1000, 0, 'DUE', now(), null),
       ($1, $2, 'sent', 'EUR', '2026-10-02', '2026-10-02', '2026-10-03', 500, 0, 0, 0, 0, 0, 0, 0, 500, 0, 'PAYING', now(), $3)`,
    bucket,
    clientId,
    sentId,
  );
  await rows(
    `insert into payouts (bucket, client_id, payout_id, batch_id, currency, amount_minor, account_id, bank, end_to_end_id,
       status, file_id, created_at, sent_at)
     values ($1, $2, $3, 'sent', 'EUR', 500, 'approved', $4, $3, 'SENT', 'sent-file', now(), now())`,
    bucket,
    clientId,
    sentId,
    ourBank,
  );
}

/** A bank's status report about payouts. */
export function statusReport(
  messageId: string,
  statuses: readonly { readonly endToEndId: string; readonly status: string; readonly reason?: string }[],
  groupStatus?: string,
  groupReason?: string,
): string {
  const transactions = statuses.map(
    ({ endToEndId, status, reason }) =>
      `<TxInfAndSts><OrgnlEndToEndId>${endToEndId}</OrgnlEndToEndId><TxSts>${status}</TxSts>${
        reason === undefined ? "" : `<StsRsnInf><Rsn><Cd>${reason}</Cd></Rsn></StsRsnInf>`
      }</TxInfAndSts>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>STS-1</MsgId><CreDtTm>2026-11-17T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001</OrgnlMsgNmId>${
    groupStatus === undefined ? "" : `<GrpSts>${groupStatus}</GrpSts>`
  }${
    groupReason === undefined ? "" : `<StsRsnInf><Rsn><Cd>${groupReason}</Cd></Rsn></StsRsnInf>`
  }</OrgnlGrpInfAndSts>
${statuses.length === 0 ? "" : `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}</OrgnlPmtInfId>${transactions.join("\n")}</OrgnlPmtInfAndSts>`}
</CstmrPmtStsRpt></Document>
`;
}

/** An entry of our account that references a payout. */
export interface ExampleBookedEntry {
  readonly endToEndId: string;
  readonly amount: string;
  readonly isCredit: boolean;
  readonly currency?: string;
  /** The bank's reference (`AcctSvcrRef`); by default the position in the file. */
  readonly reference?: string;
  readonly isReversal?: boolean;
  /** The return reason. The default is AC04 for a credit; with null, the entry has no reason. */
  readonly returnReason?: string | null;
  /** The subfamily of the bank transaction code, such as RRTN. */
  readonly subFamily?: string;
  readonly day?: string;
}

/** A notification (camt.054) or a statement (camt.053) with entries of our account. */
export function bankReport(
  entries: readonly ExampleBookedEntry[],
  { kind = "camt.054", id = "N-1" }: { readonly kind?: "camt.053" | "camt.054"; readonly id?: string } = {},
): string {
  const [root, each] = kind === "camt.053" ? ["BkToCstmrStmt", "Stmt"] : ["BkToCstmrDbtCdtNtfctn", "Ntfctn"];
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}.001.08"><${root}>
<GrpHdr><MsgId>${id}</MsgId><CreDtTm>2026-11-17T10:00:00Z</CreDtTm></GrpHdr>
<${each}><Id>${id}</Id><Acct><Id><IBAN>${ibans[1]}</IBAN></Id></Acct>${entries.map(bookedEntry).join("\n")}</${each}>
</${root}></Document>
`;
}

function bookedEntry(entry: ExampleBookedEntry, index: number): string {
  const { endToEndId, amount, isCredit, currency = "EUR", day = "2026-11-17", isReversal = false } = entry;
  const { reference = `B-${index}`, subFamily, returnReason = isCredit ? "AC04" : null } = entry;
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${isCredit ? "CRDT" : "DBIT"}</CdtDbtInd>${
    isReversal ? "<RvslInd>true</RvslInd>" : ""
  }<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef>${
    subFamily === undefined
      ? ""
      : `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn></BkTxCd>`
  }<NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>${
    returnReason === null ? "" : `<RtrInf><Rsn><Cd>${returnReason}</Cd></Rsn></RtrInf>`
  }</TxDtls></NtryDtls></Ntry>`;
}
