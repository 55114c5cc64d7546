import { elementAt, elementsAt, readXml } from "../../server/src/core/xml.ts";
import { bankStatements, statusReport, type BankDay, type BankLine } from "./files.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/** Our bank in the month: it takes files of payouts, refuses some, sends some back days later, and tells every evening what it booked. */
export interface MonthBank {
  /** A file of payouts (pain.001): gives its answer (pain.002), and what becomes of each payout. */
  take(file: string): { readonly answer: string; readonly taken: readonly TakenPayout[] };
  /** What wallets or banks pay in; on tomorrow's statement. */
  payIn(currency: string, line: BankLine): void;
  /** The day is over: its statements, what they moved by currency, and the payouts that have come back. */
  endDay(day: string): {
    readonly statements: string;
    readonly moved: ReadonlyMap<string, bigint>;
    readonly returned: readonly TakenPayout[];
  };
}

export interface TakenPayout {
  readonly endToEndId: string;
  readonly iban: string;
  readonly currency: string;
  readonly minor: bigint;
  readonly isRefused: boolean;
}

export function newMonthBank(random: Random, ibans: ReadonlyMap<string, string>): MonthBank {
  const tomorrow = new Map<string, BankLine[]>();
  const balances = new Map<string, bigint>();
  const countBy = new Map<string, number>();
  let coming: { readonly day: number; readonly payout: TakenPayout }[] = [];
  let today = 0;
  const book = (currency: string, line: BankLine): void => {
    tomorrow.set(currency, [...(tomorrow.get(currency) ?? []), line]);
  };

  return {
    take(file) {
      const { messageId, payouts } = readPayouts(file);
      const taken = payouts.map((payout) => {
        const nth = (countBy.get(payout.iban) ?? 0) + 1;
        countBy.set(payout.iban, nth);
        const drawn = random.fork(`${payout.iban} ${nth}`);
        const isRefused = drawn.chance(0.12);
        if (!isRefused) {
          book(payout.currency, {
            minor: -payout.minor,
            endToEndId: payout.endToEndId,
            reference: "payout",
          });
          if (drawn.chance(0.1)) coming.push({ day: today + 2, payout: { ...payout, isRefused } });
        }
        return { ...payout, isRefused };
      });
      const answer = statusReport(
        messageId,
        taken.map(({ endToEndId, isRefused }) => ({
          endToEndId,
          refusedWith: isRefused ? "AC04" : undefined,
        })),
      );
      return { answer, taken };
    },
    payIn: book,
    endDay(day) {
      const returned = coming.filter((each) => each.day === today).map(({ payout }) => payout);
      coming = coming.filter((each) => each.day !== today);
      for (const { currency, minor, endToEndId } of returned)
        book(currency, { minor, endToEndId, reference: "returned", returnReason: "AC04" });
      today += 1;
      const accounts = [...ibans].map(([currency, iban]): BankDay => ({
        iban,
        currency,
        day,
        opening: balances.get(currency) ?? 0n,
        lines: tomorrow.get(currency) ?? [],
      }));
      tomorrow.clear();
      const moved = new Map(
        accounts.map(({ currency, lines }) => [currency, lines.reduce((sum, { minor }) => sum + minor, 0n)]),
      );
      for (const [currency, minor] of moved) balances.set(currency, (balances.get(currency) ?? 0n) + minor);
      return { statements: bankStatements(day, accounts), moved, returned };
    },
  };
}

function readPayouts(file: string): {
  readonly messageId: string;
  readonly payouts: readonly Omit<TakenPayout, "isRefused">[];
} {
  const message = elementAt(readXml(file), "CstmrCdtTrfInitn");
  if (!message) throw new Error("This is no file of payouts.");
  const payouts = elementsAt(message, "PmtInf", "CdtTrfTxInf").map((each) => {
    const amount = elementAt(each, "Amt", "InstdAmt");
    const [whole = "", fraction = ""] = (amount?.text ?? "").split(".");
    return {
      endToEndId: elementAt(each, "PmtId", "EndToEndId")?.text ?? "",
      iban: elementAt(each, "CdtrAcct", "Id", "IBAN")?.text ?? "",
      currency: amount?.attributes["Ccy"] ?? "",
      minor: BigInt(whole + fraction),
    };
  });
  // A payout's id is random: what is drawn for it must not depend on its place in the file.
  const inOrder = payouts.toSorted((a, b) => a.iban.localeCompare(b.iban) || Number(a.minor - b.minor));
  return { messageId: elementAt(message, "GrpHdr", "MsgId")?.text ?? "", payouts: inOrder };
}
