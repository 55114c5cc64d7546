import { answerAdversities, newChooser, statementAdversities } from "./bank-adversity.ts";
import type { MovementKind } from "./bank-books.ts";
import {
  sumOf,
  writeNotifications,
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

interface DeliveryOptions {
  readonly random: Random;
  readonly accounts: ReadonlyMap<string, string>;
  readonly enabled: ReadonlySet<string>;
}

/** Status reports (pain.002) that are to be sent. */
interface Reports {
  answer(answered: { readonly messageId: string; readonly statuses: StatusReport["transactions"] }): void;
  refuseMessage(messageId: string): void;
  refuseTransactions(messageId: string, transactions: readonly Instruction[]): void;
}

/** Writes the messages of the bank and delivers them: late, twice, in parts, in any order. */
interface Delivery extends Reports {
  endDay(day: string, bookings: readonly Booking[]): readonly BankMessage[];
  hasUndelivered(): boolean;
}

/** A status report before it is written, and in how many days it comes. */
type WaitingReport = Omit<StatusReport, "reportId" | "day"> & { readonly inDays: number };

/** A camt.053 before it is written. */
interface StatementFile {
  readonly statements: readonly Statement[];
  readonly bookingsOf: ReadonlyMap<Entry, readonly Booking[]>;
}

export function newDelivery(options: DeliveryOptions): Delivery {
  const { random, enabled } = options;
  const waiting: WaitingReport[] = [];
  const bookDay = newStatementBook(options);
  const chooseForStatement = newChooser(statementAdversities, enabled, 0.4);
  let queue: { readonly onDay: number; readonly message: BankMessage }[] = [];
  let [dayNumber, fileNumber] = [0, 0];

  const nameOf = (kind: string): string => `${kind}-${String((fileNumber += 1)).padStart(5, "0")}`;
  const send = (inDays: number, message: BankMessage): void => {
    queue.push({ onDay: dayNumber + inDays, message });
  };
  const fileOf = (day: string, file: StatementFile): BankMessage =>
    statementMessage(nameOf("camt.053"), day, file);

  function sendStatements(day: string, file: StatementFile): void {
    // The first statement of an account has the opening balance: it comes first, and as it is.
    const adversity = dayNumber === 0 ? undefined : chooseForStatement(random);
    const isMonthEnd = enabled.has("late-month-end") && isLastOfMonth(day) && dayNumber > 0;
    const inDays = isMonthEnd ? 1 : adversity === "late-statement" ? random.between(1, 2) : 0;
    const whole = adversity === "corrected-statement" ? lacking(file) : file;
    const written = (adversity === "split-statement" ? halves(file) : [whole]).map((part) =>
      fileOf(day, part),
    );
    for (const message of written) send(inDays, message);
    if (adversity === "repeated-statement") for (const message of written) send(inDays + 1, message);
    if (adversity === "reissued-statement" || adversity === "corrected-statement")
      send(inDays + 1, fileOf(day, file));
  }

  return {
    ...newReports(options, waiting),
    endDay(day, bookings) {
      for (const { inDays, ...report } of waiting.splice(0))
        send(inDays, reportMessage(nameOf("pain.002"), day, report));
      const file = bookDay(day, bookings);
      if (enabled.has("notification") && bookings.length > 0)
        send(0, notificationMessage(nameOf("camt.054"), day, file));
      sendStatements(day, file);
      const today = queue.filter(({ onDay }) => onDay <= dayNumber).map(({ message }) => message);
      queue = queue.filter(({ onDay }) => onDay > dayNumber);
      dayNumber += 1;
      return enabled.has("shuffled-messages") ? shuffled(random, today) : today;
    },
    hasUndelivered: () => queue.length > 0 || waiting.length > 0,
  };
}

function newReports({ random, enabled }: DeliveryOptions, waiting: WaitingReport[]): Reports {
  const choose = newChooser(answerAdversities, enabled, 0.4);
  return {
    answer({ messageId, statuses }) {
      const adversity = choose(random);
      const first = statuses.map((status) =>
        adversity === "two-step-answer" && status.code === "ACSC"
          ? { endToEndId: status.endToEndId, code: "ACSP" as const }
          : status,
      );
      const inDays = adversity === "late-answer" ? random.between(1, 3) : 0;
      const size = adversity === "split-answer" ? Math.ceil(statuses.length / 2) : statuses.length;
      for (let at = 0; at < first.length; at += size)
        waiting.push({ messageId, transactions: first.slice(at, at + size), inDays });
      if (adversity === "repeated-answer" || adversity === "two-step-answer")
        waiting.push({ messageId, transactions: statuses, inDays: 1 });
    },
    refuseMessage(messageId) {
      const group = { code: "RJCT", reason: "DU01" } as const;
      waiting.push({ messageId, group, transactions: [], inDays: 0 });
    },
    refuseTransactions(messageId, refused) {
      const transactions = refused.map(({ endToEndId }) => ({
        endToEndId,
        code: "RJCT" as const,
        reason: duplicateTransaction,
      }));
      waiting.push({ messageId, transactions, inDays: 0 });
    },
  };
}

/** ISO's code for a transaction that was received before. */
const duplicateTransaction = "AM05";

/** Books the entries of each day, and gives the statements of all accounts. */
function newStatementBook({
  random,
  accounts,
  enabled,
}: DeliveryOptions): (day: string, bookings: readonly Booking[]) => StatementFile {
  const balances = new Map<string, bigint>();
  /** Reference of the first entry of the day before, by currency. */
  let referencesBefore: ReadonlyMap<string, string> = new Map();
  let hasReused = false;
  return (day, bookings) => {
    const bookingsOf = new Map<Entry, readonly Booking[]>();
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
        bookingsOf.set(entry, details);
        return entry;
      });
      const opening = balances.get(currency) ?? 0n;
      balances.set(currency, opening + sumOf(entries));
      return { statementId, iban, currency, day, opening, entries };
    });
    referencesBefore = references;
    return { statements, bookingsOf };
  };
}

function reportMessage(name: string, day: string, report: Omit<WaitingReport, "inDays">): BankMessage {
  const events = report.transactions.flatMap(({ endToEndId, code, reason }): readonly PayoutEvent[] => {
    if (code === "ACSP" || reason === duplicateTransaction) return [];
    return [{ endToEndId, event: code === "ACSC" ? "executed" : "rejected" }];
  });
  const text = writeStatusReport({ ...report, reportId: name, day });
  return { kind: "pain.002", name: `${name}.xml`, text, events, statements: [] };
}

function statementMessage(name: string, day: string, file: StatementFile): BankMessage {
  return {
    kind: "camt.053",
    name: `${name}.xml`,
    text: writeStatements(name, day, file.statements),
    events: eventsIn(file),
    statements: file.statements.map(({ statementId, currency, entries }) => ({
      statementId,
      currency,
      minor: sumOf(entries),
    })),
  };
}

function notificationMessage(name: string, day: string, file: StatementFile): BankMessage {
  const accounts = file.statements.filter(({ entries }) => entries.length > 0);
  const text = writeNotifications(name, day, accounts);
  return { kind: "camt.054", name: `${name}.xml`, text, events: eventsIn(file), statements: [] };
}

function eventsIn({ statements, bookingsOf }: StatementFile): readonly PayoutEvent[] {
  return statements.flatMap(({ entries }) => entries.flatMap((entry) => eventsOf(bookingsOf.get(entry))));
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
function halves({ statements, bookingsOf }: StatementFile): readonly StatementFile[] {
  const part = (nth: 1 | 2): StatementFile => ({
    bookingsOf,
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
function lacking({ statements, bookingsOf }: StatementFile): StatementFile {
  const at = statements.findIndex(({ entries }) => entries.length > 1);
  return {
    bookingsOf,
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
