import { statusReportAdversities, newAdversityChooser, statementAdversities } from "./bank-adversity.ts";
import type { MovementKind } from "./reference-bank-ledger.ts";
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
  /** Unique file name. */
  readonly name: string;
  readonly text: string;
  /** Payout events in the file, in the bank's own terms. */
  readonly events: readonly PayoutEvent[];
  /**
   * Sums by which the statements of a camt.053 change the operator's accounts. A statement with the id of an earlier
   * statement is a repeat.
   */
  readonly statements: readonly StatementSum[];
  /** Bookings in the file that reference payouts. */
  readonly bookings: readonly Booking[];
  /**
   * True for a camt.053 with the id of an earlier statement and other entries. The customer rejects the file; a later
   * statement has the correction.
   */
  readonly isContradictory: boolean;
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
  /** Bookings with the same value form one entry (batch booking). */
  readonly batch?: string;
}

interface DeliveryOptions {
  readonly random: Random;
  readonly accounts: ReadonlyMap<string, string>;
  readonly enabled: ReadonlySet<string>;
}

/** Status reports (pain.002) to send. */
interface Reports {
  answer(answered: { readonly messageId: string; readonly statuses: StatusReport["transactions"] }): void;
  refuseMessage(messageId: string): void;
  refuseTransactions(messageId: string, transactions: readonly Instruction[]): void;
}

/** Writes the bank's messages and delivers them late, twice, in parts, or out of order. */
interface Delivery extends Reports {
  endDay(day: string, bookings: readonly Booking[]): readonly BankMessage[];
  hasUndelivered(): boolean;
}

/** A status report before it is written, with the number of days until its delivery. */
type PendingReport = Omit<StatusReport, "reportId" | "day"> & { readonly inDays: number };

/** A camt.053 before it is written. */
interface StatementFile {
  readonly statements: readonly Statement[];
  readonly bookingsOf: ReadonlyMap<Entry, readonly Booking[]>;
}

interface BookedDay {
  readonly file: StatementFile;
  /** The complete statement file; undefined if no entry is missing in `file`. */
  readonly corrected: StatementFile | undefined;
}

export function newDelivery(options: DeliveryOptions): Delivery {
  const { random, enabled } = options;
  const pendingReports: PendingReport[] = [];
  const statementBook = newStatementBook(options);
  const chooseForStatement = newAdversityChooser(statementAdversities, enabled, 0.4);
  let queue: { readonly onDay: number; readonly message: BankMessage }[] = [];
  let [dayNumber, fileNumber] = [0, 0];

  const nextName = (kind: string): string => `${kind}-${String((fileNumber += 1)).padStart(5, "0")}`;
  const send = (inDays: number, message: BankMessage): void => {
    queue.push({ onDay: dayNumber + inDays, message });
  };
  const newStatementMessage = (day: string, file: StatementFile): BankMessage =>
    statementMessage(nextName("camt.053"), day, file);

  type Kind = keyof typeof statementAdversities | undefined;

  function sendStatements(day: string, { file, corrected }: BookedDay, adversity: Kind): void {
    const isMonthEnd = enabled.has("late-month-end") && isLastOfMonth(day) && dayNumber > 0;
    const inDays = isMonthEnd ? 1 : adversity === "late-statement" ? random.between(1, 2) : 0;
    const written = (adversity === "split-statement" ? splitStatements(file) : [file]).map((part) =>
      newStatementMessage(day, part),
    );
    for (const message of written) send(inDays, message);
    if (adversity === "repeated-statement") for (const message of written) send(inDays + 1, message);
    if (adversity === "reissued-statement") send(inDays + 1, newStatementMessage(day, file));
    if (corrected)
      send(inDays + 1, { ...newStatementMessage(day, corrected), ...emptyContents, isContradictory: true });
  }

  return {
    ...newReports(options, pendingReports),
    endDay(day, bookings) {
      for (const { inDays, ...report } of pendingReports.splice(0))
        send(inDays, reportMessage(nextName("pain.002"), day, report));
      // The first statement of an account has the opening balance, so it is delivered first and unchanged.
      const adversity = dayNumber === 0 ? undefined : chooseForStatement(random);
      const booked = statementBook.bookDay(day, bookings, adversity === "corrected-statement");
      if (enabled.has("notification") && bookings.length > 0)
        send(0, notificationMessage(nextName("camt.054"), day, booked.corrected ?? booked.file));
      sendStatements(day, booked, adversity);
      const today = queue.filter(({ onDay }) => onDay <= dayNumber).map(({ message }) => message);
      queue = queue.filter(({ onDay }) => onDay > dayNumber);
      dayNumber += 1;
      return enabled.has("shuffled-messages") ? shuffle(random, today) : today;
    },
    hasUndelivered: () => queue.length > 0 || pendingReports.length > 0 || statementBook.hasLateEntries(),
  };
}

function newReports({ random, enabled }: DeliveryOptions, pendingReports: PendingReport[]): Reports {
  const choose = newAdversityChooser(statusReportAdversities, enabled, 0.4);
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
        pendingReports.push({ messageId, transactions: first.slice(at, at + size), inDays });
      if (adversity === "repeated-answer" || adversity === "two-step-answer")
        pendingReports.push({ messageId, transactions: statuses, inDays: 1 });
    },
    refuseMessage(messageId) {
      const group = { code: "RJCT", reason: "DU01" } as const;
      pendingReports.push({ messageId, group, transactions: [], inDays: 0 });
    },
    refuseTransactions(messageId, refused) {
      const transactions = refused.map(({ endToEndId }) => ({
        endToEndId,
        code: "RJCT" as const,
        reason: duplicateTransaction,
      }));
      pendingReports.push({ messageId, transactions, inDays: 0 });
    },
  };
}

/** ISO code for a duplicate transaction. */
const duplicateTransaction = "AM05";

/** Books the entries of each day, and returns the statements of all accounts. */
interface StatementBook {
  /**
   * With `lacksEntry` the first account with at least two entries has an incomplete statement: its last entry is in the
   * next day's statement.
   */
  bookDay(day: string, bookings: readonly Booking[], lacksEntry: boolean): BookedDay;
  /** True if an entry waits for the next day's statement. */
  hasLateEntries(): boolean;
}

function newStatementBook({ random, accounts, enabled }: DeliveryOptions): StatementBook {
  /** Entries missing in the previous statement, by currency. */
  let lateEntries = new Map<string, Entry>();
  const balances = new Map<string, bigint>();
  const bookingsOf = new Map<Entry, readonly Booking[]>();
  /** Reference of the first entry of the previous day, by currency. */
  let referencesBefore: ReadonlyMap<string, string> = new Map();
  let hasReused = false;
  const bookDay: StatementBook["bookDay"] = (day, bookings, lacksEntry) => {
    const corrections = lateEntries;
    lateEntries = new Map();
    const references = new Map<string, string>();
    const isReuseEnabled = enabled.has("reused-reference") && (!hasReused || random.chance(0.3));
    const statements = [...accounts].map(([currency, iban]): Statement => {
      const accountBookings = bookings.filter((booking) => booking.currency === currency);
      const groups = [...Map.groupBy(accountBookings, (booking) => booking.batch ?? booking).values()];
      const statementId = `${iban.slice(-4)}-${currency}-${day}`;
      const before = isReuseEnabled ? referencesBefore.get(currency) : undefined;
      const entries = groups.map((details, index): Entry => {
        const isReused = before !== undefined && index === groups.length - 1;
        const reference = isReused ? before : `${statementId}-${index + 1}`;
        if (isReused) hasReused = true;
        if (index === 0) references.set(currency, reference);
        const entry = { reference, isReversal: details[0]?.isReversal === true, details };
        bookingsOf.set(entry, details);
        return entry;
      });
      const correction = corrections.get(currency);
      const all = [...(correction ? [correction] : []), ...entries];
      const opening = balances.get(currency) ?? 0n;
      balances.set(currency, opening + sumOf(all));
      return { statementId, iban, currency, day, opening, entries: all };
    });
    referencesBefore = references;
    const completeFile = { statements, bookingsOf };
    const incomplete = lacksEntry ? statements.find(({ entries }) => entries.length > 1) : undefined;
    const last = incomplete?.entries.at(-1);
    if (!incomplete || !last) return { file: completeFile, corrected: undefined };
    lateEntries.set(incomplete.currency, { ...last, day: last.day ?? day });
    bookingsOf.set(lateEntries.get(incomplete.currency) as Entry, bookingsOf.get(last) ?? []);
    balances.set(incomplete.currency, (balances.get(incomplete.currency) ?? 0n) - sumOf([last]));
    const incompleteStatement = { ...incomplete, entries: incomplete.entries.slice(0, -1) };
    const file = {
      statements: statements.map((each) => (each === incomplete ? incompleteStatement : each)),
      bookingsOf,
    };
    return { file, corrected: completeFile };
  };
  return { bookDay, hasLateEntries: () => lateEntries.size > 0 };
}

/** A message without any effect. */
const emptyContents = { events: [], statements: [], bookings: [] };

function reportMessage(name: string, day: string, report: Omit<PendingReport, "inDays">): BankMessage {
  const events = report.transactions.flatMap(({ endToEndId, code, reason }): readonly PayoutEvent[] => {
    if (code === "ACSP" || reason === duplicateTransaction) return [];
    return [{ endToEndId, event: code === "ACSC" ? "executed" : "rejected" }];
  });
  const text = writeStatusReport({ ...report, reportId: name, day });
  return { ...emptyContents, kind: "pain.002", name: `${name}.xml`, text, events, isContradictory: false };
}

function statementMessage(name: string, day: string, file: StatementFile): BankMessage {
  return {
    kind: "camt.053",
    name: `${name}.xml`,
    text: writeStatements(name, day, file.statements),
    events: eventsIn(file),
    bookings: bookingsIn(file),
    isContradictory: false,
    statements: file.statements.map(({ statementId, currency, entries }) => ({
      statementId,
      currency,
      minor: sumOf(entries),
    })),
  };
}

function notificationMessage(name: string, day: string, file: StatementFile): BankMessage {
  // Entries that were only missing in the previous day's statement are left out, because the previous day's
  // notification announced them.
  const statements = file.statements
    .map((statement) => ({
      ...statement,
      entries: statement.entries.filter((entry) => entry.day === undefined),
    }))
    .filter(({ entries }) => entries.length > 0);
  const text = writeNotifications(name, day, statements);
  const announced = { ...file, statements };
  const contents = {
    events: eventsIn(announced),
    bookings: bookingsIn(announced),
    statements: [],
    isContradictory: false,
  };
  return { kind: "camt.054", name: `${name}.xml`, text, ...contents };
}

function eventsIn(file: StatementFile): readonly PayoutEvent[] {
  return eventsOf(bookingsIn(file));
}

function bookingsIn({ statements, bookingsOf }: StatementFile): readonly Booking[] {
  return statements.flatMap(({ entries }) => entries.flatMap((entry) => bookingsOf.get(entry) ?? []));
}

/** Payout events of an entry: a debit is an execution; a return has the full amount and a return reason. */
function eventsOf(bookings: readonly Booking[]): readonly PayoutEvent[] {
  return bookings.flatMap(({ kind, endToEndId }): readonly PayoutEvent[] => {
    if (endToEndId === undefined) return [];
    if (kind === "execution" || kind === "execution again") return [{ endToEndId, event: "executed" }];
    return kind === "return" ? [{ endToEndId, event: "returned" }] : [];
  });
}

/** `splitStatements` splits statements into two files. In each file, a statement has its own id and balances. */
function splitStatements({ statements, bookingsOf }: StatementFile): readonly StatementFile[] {
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

function isLastOfMonth(day: string): boolean {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).getUTCDate() === 1;
}

function shuffle<Value>(random: Random, values: readonly Value[]): readonly Value[] {
  return values
    .map((value) => ({ value, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
