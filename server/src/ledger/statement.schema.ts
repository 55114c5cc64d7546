import { Type, type Static } from "typebox";
import { described, Id, OneOf, Time, toTime } from "../api/schemas.ts";
import { Sum } from "./holding.schema.ts";
import { effectsInWords } from "./posting.schema.ts";
import { netOf, statementCursorForm, type StatementLine } from "./statement.ts";

export const Month = Type.String({
  pattern: "^[0-9]{4}-[0-9]{2}$",
  description: "Which month of the books.",
});
export const StatementCursor = Type.String({
  pattern: statementCursorForm,
  maxLength: 128,
  description: "For the next page: `nextCursor` of this one.",
  "x-digits": true,
});

export const StatementLineForm = Type.Object(
  {
    subjectId: described(Id, "The payment, capture, refund or other record that caused it."),
    effect: OneOf(effectsInWords, "What happened to the record."),
    gross: Sum("What moved, before our fee; below zero when it was taken from you."),
    fee: Sum("Our fee on it, below zero; above zero when it was given back."),
    tax: Sum("Tax on our fee, likewise."),
    net: Sum("What it changed in what we owe you: the sum of the three."),
    time: described(Time, "When it was posted."),
  },
  { title: "StatementLine", description: "One movement of what we owe you." },
);

export function toStatementLine(line: StatementLine): Static<typeof StatementLineForm> {
  const { subjectId, effect, grossMinor, feeMinor, taxMinor, at } = line;
  return {
    subjectId,
    effect,
    gross: String(grossMinor),
    fee: String(feeMinor),
    tax: String(taxMinor),
    net: String(netOf(line)),
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
