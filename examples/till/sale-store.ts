import { saleLifecycle, isOpen, type Refund, type Sale, type SaleState } from "./sale.ts";
import type { Line, SalesFile } from "./sales-file.ts";

type LineOf<Kind extends Line["kind"]> = Omit<Extract<Line, { readonly kind: Kind }>, "kind" | "at">;

/** The book of all known sales. It stores data that must survive a crash before the data is used. */
export interface SaleBook {
  find(id: string): Sale | undefined;
  /** Newest first. */
  all(): readonly Sale[];
  /** The sales of this shift, and older ones without an outcome. Newest first. */
  ofShift(): readonly Sale[];
  /** Returns the start of the shift; undefined for the first shift. */
  shiftSince(): string | undefined;
  begin(sale: LineOf<"sale">): Sale;
  /** Moves a sale to a transient state, which is not stored. Returns whether the transition is allowed. */
  move(
    id: string,
    state: SaleState,
    facts?: Partial<Pick<Sale, "paymentId" | "shown" | "shownUntil">>,
  ): boolean;
  noteCancel(id: string): void;
  /**
   * Stores the final outcome of a sale. Returns false if the sale already has a final outcome, because it never
   * changes.
   */
  settle(settled: LineOf<"settled">): boolean;
  beginRefund(refund: LineOf<"refund">): void;
  settleRefund(settled: LineOf<"refund-settled">): void;
  /** Sets the transient state of a refund: its request is in progress, or its outcome is unknown. */
  moveRefund(id: string, refundId: string, state: "asked" | "unknown"): void;
  closeShift(): void;
}

export function openSaleBook(file: SalesFile, onChange: () => void): SaleBook {
  const sales = new Map<string, Sale>();
  let shift: string | undefined;
  const change = (id: string, facts: Partial<Sale>): void => {
    const sale = sales.get(id);
    if (sale) sales.set(id, { ...sale, ...facts });
  };
  const take = (line: Line): void => {
    if (line.kind === "shift") shift = line.at;
    else if (line.kind === "sale") sales.set(line.id, newSale(line));
    else change(line.id, changeBy(line, sales.get(line.id)?.refunds ?? []));
  };
  for (const line of file.lines) take(line);
  const write = (line: Line): void => {
    file.append(line);
    take(line);
    onChange();
  };
  const at = (): string => new Date().toISOString();
  const mayBecome = (id: string, state: SaleState): boolean => {
    const now = sales.get(id)?.state;
    return now !== undefined && saleLifecycle[now].includes(state);
  };
  const all = (): readonly Sale[] => [...sales.values()].toReversed();
  return {
    find: (id) => sales.get(id),
    all,
    ofShift: () => all().filter((sale) => shift === undefined || sale.at > shift || isOpen(sale)),
    shiftSince: () => shift,
    begin(sale) {
      const line = { kind: "sale", at: at(), ...sale } as const;
      write(line);
      return newSale(line);
    },
    move(id, state, facts = {}) {
      const isSame = sales.get(id)?.state === state;
      if (!isSame && !mayBecome(id, state)) return false;
      change(id, { ...facts, state });
      onChange();
      return true;
    },
    noteCancel: (id) => write({ kind: "cancel", at: at(), id }),
    settle(settled) {
      if (!mayBecome(settled.id, settled.outcome)) return false;
      write({ kind: "settled", at: at(), ...settled });
      return true;
    },
    beginRefund: (refund) => write({ kind: "refund", at: at(), ...refund }),
    settleRefund: (settled) => write({ kind: "refund-settled", at: at(), ...settled }),
    moveRefund(id, refundId, state) {
      change(id, { refunds: refundsWith(sales.get(id)?.refunds ?? [], refundId, { state }) });
      onChange();
    },
    closeShift: () => write({ kind: "shift", at: at() }),
  };
}

function newSale({ kind: _kind, ...facts }: Extract<Line, { readonly kind: "sale" }>): Sale {
  return { ...facts, state: "waiting", refunds: [] };
}

/** Returns the change of a sale that a line of the file describes. */
function changeBy(
  line: Exclude<Line, { readonly kind: "sale" | "shift" }>,
  refunds: readonly Refund[],
): Partial<Sale> {
  switch (line.kind) {
    case "cancel":
      return { cancelSentAt: line.at };
    case "settled": {
      const { outcome, paymentId, resultCode } = line;
      return {
        state: outcome,
        ...(paymentId !== undefined && { paymentId }),
        ...(resultCode !== undefined && { resultCode }),
      };
    }
    case "refund":
      return { refunds: [...refunds, { id: line.refundId, amount: line.amount, state: "asked" }] };
    case "refund-settled": {
      const { refundId, state, resultCode } = line;
      return { refunds: refundsWith(refunds, refundId, { state, ...(resultCode && { resultCode }) }) };
    }
  }
}

function refundsWith(refunds: readonly Refund[], id: string, facts: Partial<Refund>): readonly Refund[] {
  return refunds.map((refund) => (refund.id === id ? { ...refund, ...facts } : refund));
}
