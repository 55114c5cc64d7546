import { saleLifecycle, isOpen, type Refund, type Sale, type SaleState } from "./sale.ts";
import type { SaleRecord, SalesFile } from "./sales-file.ts";

type RecordFields<Kind extends SaleRecord["kind"]> = Omit<
  Extract<SaleRecord, { readonly kind: Kind }>,
  "kind" | "at"
>;

/** The book of all known sales. It stores data that must survive a crash before the data is used. */
export interface SaleStore {
  find(id: string): Sale | undefined;
  /** Newest first. */
  all(): readonly Sale[];
  /** The sales of this shift, and older ones without an outcome. Newest first. */
  listShift(): readonly Sale[];
  /** Returns the start of the shift; undefined for the first shift. */
  shiftStartedAt(): string | undefined;
  begin(sale: RecordFields<"sale">): Sale;
  /** Moves a sale to a transient state, which is not stored. Returns whether the transition is allowed. */
  move(
    id: string,
    state: SaleState,
    facts?: Partial<Pick<Sale, "paymentId" | "shown" | "shownUntil">>,
  ): boolean;
  recordCancel(id: string): void;
  /**
   * Stores the final outcome of a sale. Returns false if the sale already has a final outcome, because it never
   * changes.
   */
  settle(record: RecordFields<"settled">): boolean;
  beginRefund(refund: RecordFields<"refund">): void;
  settleRefund(record: RecordFields<"refund-settled">): void;
  /** Sets the transient state of a refund: its request is in progress, or its outcome is unknown. */
  moveRefund(id: string, refundId: string, state: "asked" | "unknown"): void;
  closeShift(): void;
}

export function openSaleStore(file: SalesFile, onChange: () => void): SaleStore {
  const sales = new Map<string, Sale>();
  let shiftStart: string | undefined;
  const change = (id: string, facts: Partial<Sale>): void => {
    const sale = sales.get(id);
    if (sale) sales.set(id, { ...sale, ...facts });
  };
  const applyRecord = (record: SaleRecord): void => {
    if (record.kind === "shift") shiftStart = record.at;
    else if (record.kind === "sale") sales.set(record.id, newSale(record));
    else change(record.id, changeOf(record, sales.get(record.id)?.refunds ?? []));
  };
  for (const record of file.records) applyRecord(record);
  const appendRecord = (record: SaleRecord): void => {
    file.append(record);
    applyRecord(record);
    onChange();
  };
  const nowText = (): string => new Date().toISOString();
  const canBecome = (id: string, state: SaleState): boolean => {
    const now = sales.get(id)?.state;
    return now !== undefined && saleLifecycle[now].includes(state);
  };
  const all = (): readonly Sale[] => [...sales.values()].toReversed();
  return {
    find: (id) => sales.get(id),
    all,
    listShift: () => all().filter((sale) => shiftStart === undefined || sale.at > shiftStart || isOpen(sale)),
    shiftStartedAt: () => shiftStart,
    begin(sale) {
      const record = { kind: "sale", at: nowText(), ...sale } as const;
      appendRecord(record);
      return newSale(record);
    },
    move(id, state, facts = {}) {
      const isSame = sales.get(id)?.state === state;
      if (!isSame && !canBecome(id, state)) return false;
      change(id, { ...facts, state });
      onChange();
      return true;
    },
    recordCancel: (id) => appendRecord({ kind: "cancel", at: nowText(), id }),
    settle(record) {
      if (!canBecome(record.id, record.outcome)) return false;
      appendRecord({ kind: "settled", at: nowText(), ...record });
      return true;
    },
    beginRefund: (refund) => appendRecord({ kind: "refund", at: nowText(), ...refund }),
    settleRefund: (record) => appendRecord({ kind: "refund-settled", at: nowText(), ...record }),
    moveRefund(id, refundId, state) {
      change(id, { refunds: refundsWith(sales.get(id)?.refunds ?? [], refundId, { state }) });
      onChange();
    },
    closeShift: () => appendRecord({ kind: "shift", at: nowText() }),
  };
}

function newSale({ kind: _kind, ...facts }: Extract<SaleRecord, { readonly kind: "sale" }>): Sale {
  return { ...facts, state: "waiting", refunds: [] };
}

/** Returns the change of a sale that a line of the file describes. */
function changeOf(
  record: Exclude<SaleRecord, { readonly kind: "sale" | "shift" }>,
  refunds: readonly Refund[],
): Partial<Sale> {
  switch (record.kind) {
    case "cancel":
      return { cancelSentAt: record.at };
    case "settled": {
      const { outcome, paymentId, resultCode } = record;
      return {
        state: outcome,
        ...(paymentId !== undefined && { paymentId }),
        ...(resultCode !== undefined && { resultCode }),
      };
    }
    case "refund":
      return { refunds: [...refunds, { id: record.refundId, amount: record.amount, state: "asked" }] };
    case "refund-settled": {
      const { refundId, state, resultCode } = record;
      return { refunds: refundsWith(refunds, refundId, { state, ...(resultCode && { resultCode }) }) };
    }
  }
}

function refundsWith(refunds: readonly Refund[], id: string, facts: Partial<Refund>): readonly Refund[] {
  return refunds.map((refund) => (refund.id === id ? { ...refund, ...facts } : refund));
}
