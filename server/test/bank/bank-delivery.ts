import { answerAdversities, newChooser, statementAdversities } from "./bank-adversity.ts";
import type { MovementKind } from "./bank-books.ts";
import {
  sumOf,
  writeNotification,
  writeStatements,
  writeStatusReport,
  type Entry,
  type EntryDetail,
  type Instruction,
  type Statement,
  type StatusReport,
} from "./bank-message.ts";
import type { Random } from "./seeded-random.ts";

/** A file that the customer receives from the bank. */
export interface BankMessage {
  readonly kind: "pain.002" | "camt.053" | "camt.054";
  /** Unique name of the file. */
  readonly name: string;
  readonly text: string;
  /** What the file says about payouts, in the bank's own terms. */
  readonly events: readonly PayoutEvent[];
  /** What the statements of a camt.053 add to our accounts. A statement with the id of an earlier one replaces it. */
  readonly statements: readonly StatementSum[];
}

export interface PayoutEvent {
  readonly endToEndId: string;
  readonly event: "executed" | "rejected" | "returned";
}

interface StatementSum {
  readonly statementId: string;
  readonly currency: string;
  readonly minor: bigint;
}

/** A movement that is booked today. */
export interface Booking extends EntryDetail {
  readonly kind: MovementKind;
  readonly currency: string;
  readonly iban: string | undefined;
  readonly isReversal?: boolean;
  /** Bookings with the same value are one entry (batch booking). */
  readonly batch?: string;
}

/** Writes the messages of the bank and delivers them: late, twice, in parts, in any order. */
interface Delivery {
  answer(answered: { readonly messageId: string; readonly statuses: StatusReport["transactions"] }): void;
  refuseMessage(messageId: string): void;
  refuseTransactions(messageId: string, transactions: readonly Instruction[]): void;
  endDay(day: string, bookings: readonly Booking[]): readonly BankMessage[];
  hasUndelivered(): boolean;
}

interface DeliveryOptions {
  readonly random: Random;
  readonly accounts: ReadonlyMap<string, string>;
  readonly enabled: ReadonlySet<string>;
}

/** A camt.053 before it is written. */
interface StatementFile {
  readonly statements: readonly Statement[];
  readonly kinds: ReadonlyMap<Entry, readonly Booking[]>;
}

export function newDelivery({ random, accounts, enabled }: DeliveryOptions): Delivery {
  const chooseForAnswer = newChooser(answerAdversities, enabled, 0.4);
  const chooseForStatement = newChooser(statementAdversities, enabled, 0.4);
  const balances = new Map<string, bigint>();
  let queue: { readonly onDay: number; readonly message: BankMessage }[] = [];
  let reports: (Omit<StatusReport, "reportId" | "day"> & { readonly inDays: number })[] = [];
  let [dayNumber, fileNumber] = [0, 0];
  /** Reference of the first entry of the day before, by currency. */
  let referencesBefore: ReadonlyMap<string, string> = new Map();
  let hasReused = false;

  const nameOf = (kind: string): string => `${kind}-${String((fileNumber += 1)).padStart(5, "0")}`;
  const send = (inDays: number, message: BankMessage): void => {
    queue.push({ onDay: dayNumber + inDays, message });
  };
  const report = (inDays: number, of: Omit<StatusReport, "reportId" | "day">): void => {
    reports.push({ ...of, inDays });
  };

  function writeReports(day: string): void {
    for (const { inDays, ...of } of reports) {
      const name = nameOf("pain.002");
      const events = of.transactions.flatMap(({ endToEndId, code, reason }): readonly PayoutEvent[] => {
        if (code === "ACSP" || reason === "AM05") return [];
        return [{ endToEndId, event: code === "ACSC" ? "executed" : "rejected" }];
      });
      const text = writeStatusReport({ ...of, reportId: name, day });
      send(inDays, { kind: "pain.002", name: `${name}.xml`, text, events, statements: [] });
    }
    reports = [];
  }

  /** The statements of all accounts for a day. */
  function bookDay(day: string, bookings: readonly Booking[]): StatementFile {
    const kinds = new Map<Entry, readonly Booking[]>();
    const references = new Map<string, string>();
    const reuses = enabled.has("reused-reference") && (!hasReused || random.chance(0.3));
    const statements = [...accounts].map(([currency, iban]): Statement => {
      const own = bookings.filter((booking) => booking.currency === currency);
      const groups = [...Map.groupBy(own, (booking) => booking.batch ?? booking).values()];
      const statementId = `${iban.slice(-4)}-${currency}-${day}`;
      const before = reuses ? referencesBefore.get(currency) : undefined;
      const entries = groups.map((details, index): Entry => {
        const isReused = before !== undefined && index === groups.length - 1;
        const reference = isReused ? before : `${statementId}-${index + 1}`;
        if (isReused) hasReused = true;
        if (index === 0) references.set(currency, reference);
        const entry = { reference, isReversal: details[0]?.isReversal === true, details };
        kinds.set(entry, details);
        return entry;
      });
      const opening = balances.get(currency) ?? 0n;
      balances.set(currency, opening + sumOf(entries));
      return { statementId, iban, currency, day, opening, entries };
    });
    referencesBefore = references;
    return { statements, kinds };
  }

  function fileOf(day: string, { statements, kinds }: StatementFile): BankMessage {
    const name = nameOf("camt.053");
    return {
      kind: "camt.053",
      name: `${name}.xml`,
      text: writeStatements(name, day, statements),
      events: statements.flatMap(({ entries }) => entries.flatMap((entry) => eventsOf(kinds.get(entry)))),
      statements: statements.map(({ statementId, currency, entries }) => ({
        statementId,
        currency,
        minor: sumOf(entries),
      })),
    };
  }

  function sendStatements(day: string, file: StatementFile): void {
    // The first statement of an account has the opening balance: it comes first, and as it is.
    const adversity = dayNumber === 0 ? undefined : chooseForStatement(random);
    const isMonthEnd = enabled.has("late-month-end") && isLastOfMonth(day) && dayNumber > 0;
    const inDays = isMonthEnd ? 1 : adversity === "late-statement" ? random.between(1, 2) : 0;
    const parts =
      adversity === "split-statement"
        ? halves(file)
        : [adversity === "corrected-statement" ? lacking(file) : file];
    const written = parts.map((part) => fileOf(day, part));
    for (const message of written) send(inDays, message);
    if (adversity === "repeated-statement") for (const message of written) send(inDays + 1, message);
    if (adversity === "reissued-statement" || adversity === "corrected-statement")
      send(inDays + 1, fileOf(day, file));
  }

  function sendNotifications(day: string, { statements, kinds }: StatementFile): void {
    for (const { entries, iban, currency } of statements) {
      if (entries.length === 0) continue;
      const name = nameOf("camt.054");
      const text = writeNotification(name, { statementId: name, iban, currency, day, entries });
      const events = entries.flatMap((entry) => eventsOf(kinds.get(entry)));
      send(0, { kind: "camt.054", name: `${name}.xml`, text, events, statements: [] });
    }
  }

  return {
    answer({ messageId, statuses }) {
      const adversity = chooseForAnswer(random);
      const first = statuses.map((status) =>
        adversity === "two-step-answer" && status.code === "ACSC"
          ? { endToEndId: status.endToEndId, code: "ACSP" as const }
          : status,
      );
      const inDays = adversity === "late-answer" ? random.between(1, 3) : 0;
      const size = adversity === "split-answer" ? Math.ceil(statuses.length / 2) : statuses.length;
      for (let at = 0; at < first.length; at += size)
        report(inDays, { messageId, transactions: first.slice(at, at + size) });
      if (adversity === "repeated-answer" || adversity === "two-step-answer")
        report(1, { messageId, transactions: statuses });
    },
    refuseMessage(messageId) {
      report(0, { messageId, group: { code: "RJCT", reason: "DU01" }, transactions: [] });
    },
    refuseTransactions(messageId, transactions) {
      const refused = transactions.map(({ endToEndId }) => ({
        endToEndId,
        code: "RJCT" as const,
        reason: "AM05",
      }));
      report(0, { messageId, transactions: refused });
    },
    endDay(day, bookings) {
      writeReports(day);
      const file = bookDay(day, bookings);
      if (enabled.has("notification")) sendNotifications(day, file);
      sendStatements(day, file);
      const today = queue.filter(({ onDay }) => onDay <= dayNumber).map(({ message }) => message);
      queue = queue.filter(({ onDay }) => onDay > dayNumber);
      dayNumber += 1;
      return enabled.has("shuffled-messages") ? shuffled(random, today) : today;
    },
    hasUndelivered: () => queue.length > 0 || reports.length > 0,
  };
}

/** The events of an entry, as the rules say: a debit executes, and a return has the full amount and a return reason. */
function eventsOf(bookings: readonly Booking[] = []): readonly PayoutEvent[] {
  return bookings.flatMap(({ kind, endToEndId }): readonly PayoutEvent[] => {
    if (endToEndId === undefined) return [];
    if (kind === "execution" || kind === "execution again") return [{ endToEndId, event: "executed" }];
    return kind === "return" ? [{ endToEndId, event: "returned" }] : [];
  });
}

/** The same statements in two files, each with its own id and balances. */
function halves({ statements, kinds }: StatementFile): readonly StatementFile[] {
  const part = (nth: 1 | 2): StatementFile => ({
    kinds,
    statements: statements.map((statement) => {
      const middle = Math.ceil(statement.entries.length / 2);
      const [first, second] = [statement.entries.slice(0, middle), statement.entries.slice(middle)];
      return {
        ...statement,
        statementId: `${statement.statementId}-${nth}`,
        opening: nth === 1 ? statement.opening : statement.opening + sumOf(first),
        entries: nth === 1 ? first : second,
      };
    }),
  });
  return [part(1), part(2)];
}

/** The same statements without the last entry of the first account that has two. */
function lacking({ statements, kinds }: StatementFile): StatementFile {
  const at = statements.findIndex(({ entries }) => entries.length > 1);
  return {
    kinds,
    statements: statements.map((statement, index) =>
      index === at ? { ...statement, entries: statement.entries.slice(0, -1) } : statement,
    ),
  };
}

function isLastOfMonth(day: string): boolean {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).getUTCDate() === 1;
}

function shuffled<Value>(random: Random, values: readonly Value[]): readonly Value[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
