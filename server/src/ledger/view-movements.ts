import { Type } from "typebox";
import { CursorOf, NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import { forms } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { Posting, toPosting } from "./posting.schema.ts";
import { listTransfers, type TransferPosition } from "./transfer.sql.ts";
import type { EffectName, PostedTransfer } from "./transfer.ts";

export const viewMovements = view({
  name: "movements",
  summary: "Lists the merchant's ledger rows (double entry).",
  description:
    "By the payments, refunds and other records that caused them, newest record first; the time window " +
    "applies to the records.",
  permission: "balance.read",

  request: Type.Object({
    ...PageRequest,
    cursor: CursorOf("^[0-9]{35} [0-9]{1,4} [a-z ]{1,32}$"),
    currency: Type.Optional(Type.String({ pattern: forms.currency, description: "Only this currency." })),
  }),
  response: Type.Object({
    movements: Type.Array(Posting, { description: "Ledger rows, those of the newest record first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { currency: "EUR", limit: 1 },
    response: {
      movements: [
        {
          subjectId: "20261115093000123047601530017744120",
          effect: "payment",
          debitAccount: "provider receivable sandbox-wallet",
          creditAccount: "merchant payable SANDBOX_5Y1",
          amount: { currency: "EUR", value: "1250" },
          owedChange: "1250",
          time: "2026-11-15T09:30:07+00:00",
        },
      ],
      nextCursor: "20261115093000123047601530017744120 1 payment",
    },
  },

  async find(call, { cursor, currency, ...pageRequest }) {
    const window = pageWindow(pageRequest);
    if (isRefusal(window)) return window;
    const before = readCursor(cursor);
    // The query limits the key to a range, in addition to a position, because PostgreSQL does not search the index by a
    // position of three columns alone.
    const idBefore = before && before.subjectId < window.idBefore ? `${before.subjectId}~` : window.idBefore;
    const transfers = await listTransfers(call.tx, call, { ...window, idBefore, currency, before });
    const page = pageOf(transfers, window, ({ subjectId, line, effect }) => `${subjectId} ${line} ${effect}`);
    return { ...page, clientId: call.clientId };
  },

  answer(page: Page<PostedTransfer> & { readonly clientId: string }) {
    const movements = page.items.map((each) => toPosting(each, page.clientId));
    return { code: "SUCCESS", movements, ...toNextCursor(page) };
  },
});

function readCursor(text: string | undefined): TransferPosition | undefined {
  if (text === undefined) return undefined;
  const [subjectId = "", line, ...words] = text.split(" ");
  return { subjectId, line: Number(line), effect: words.join(" ") as EffectName };
}
