import type { Views } from "../generated/console.ts";

export type NotificationKind =
  Views["notifications"]["response"]["notifications"][number]["notificationKind"];

/** In a record, so that the compiler misses a kind that the server has and this list has not. */
const all: Readonly<Record<NotificationKind, true>> = {
  notifyPayment: true,
  notifyRefund: true,
  notifyCapture: true,
  notifyAuthorization: true,
  notifyDispute: true,
  notifyRegistrationStatus: true,
  notifyPayout: true,
  notifyBankAccount: true,
};

export const notificationKinds = Object.keys(all) as NotificationKind[];
