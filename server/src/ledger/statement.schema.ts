import { Type, type Static } from "typebox";
import { withDescription, Id, OneOf, Time, toTime } from "../contract/schemas.ts";
import { Sum } from "./merchant-balance.schema.ts";
import { effectMeanings } from "./posting.schema.ts";
import { calculateNet, type StatementLine } from "./statement.ts";
import { statementCursorForm } from "../core/cursor-forms.ts";

export const Month = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}$",
  description: "Month of the statement.",
});
export const StatementCursor = Type.String({
  pattern: statementCursorForm,
  maxLength: 128,
  description: "For the next page: `nextCursor` of this page.",
  "x-digits": true,
});

export const StatementLineForm = Type.Object(
  {
    subjectId: withDescription(Id, "Id of the payment, capture, refund or other record that caused it."),
    effect: OneOf(effectMeanings, "Effect on the record."),
    gross: Sum("Amount before our fee; negative if it was debited from you."),
    fee: Sum("Our fee on it, negative; positive if it was returned."),
    tax: Sum("Tax on our fee, with the same sign."),
    net: Sum("Change of your balance: the sum of the three."),
    time: withDescription(Time, "Time of the posting."),
  },
  { title: "StatementLine", description: "A movement of your balance." },
);

export function toStatementLine(line: StatementLine): Static<typeof StatementLineForm> {
  const { subjectId, effect, grossMinor, feeMinor, taxMinor, at } = line;
  return {
    subjectId,
    effect,
    gross: String(grossMinor),
    fee: String(feeMinor),
    tax: String(taxMinor),
    net: String(calculateNet(line)),
    time: toTime(at),
  };
}

export const statementLineExample: Static<typeof StatementLineForm> = {
  subjectId: "20261115093000123047601530017744120",
  effect: "payment",
  gross: "1250",
  fee: "-36",
  tax: "0",
  net: "1214",
  time: "2026-11-15T09:30:07+00:00",
};
