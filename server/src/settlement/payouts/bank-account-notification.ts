import { formatWireTime } from "../../core/request-time.ts";

/** Bank account webhooks, in lifecycle order. */
const sequences = {
  ACCOUNT_REQUESTED: 1,
  ACCOUNT_APPROVED: 2,
  ACCOUNT_REFUSED: 2,
  ACCOUNT_ENDED: 3,
} as const;

export type AccountChangeType = keyof typeof sequences;

/** The fields of a bank account webhook, with the masked IBAN. */
export interface NotifiedAccount {
  readonly accountId: string;
  readonly currency: string;
  readonly holder: string;
  readonly ibanShown: string;
}

/** The body of `notifyBankAccount`, as bytes that each delivery attempt repeats. */
export function accountNotification(
  { accountId, currency, holder, ibanShown }: NotifiedAccount,
  type: AccountChangeType,
  { at, usableFrom }: { readonly at: Date; readonly usableFrom?: Date | undefined },
): { readonly sequence: number; readonly body: Buffer } {
  const sequence = sequences[type];
  const body = {
    bankAccountNotificationType: type,
    bankAccountId: accountId,
    currency,
    holder,
    ibanInPart: ibanShown,
    ...(usableFrom && { usableTime: formatWireTime(usableFrom.getTime()) }),
    bankAccountTime: formatWireTime(at.getTime()),
    sequence,
  };
  return { sequence, body: Buffer.from(JSON.stringify(body), "utf8") };
}
