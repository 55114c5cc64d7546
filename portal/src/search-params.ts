import type { Views } from "./generated/console.ts";

/**
 * The search parameters of each address. Filters are part of the address: they survive a reload, and a link can be sent
 * to a colleague. Separate from the routes, because pages import these types and the routes import pages.
 */
type SearchParams = Record<string, unknown>;

/** The client id, if the organisation has several. It is kept when the person changes pages. */
export const clientParam = ({ client }: SearchParams): { client?: string | undefined } => ({
  client: readText(client),
});

/** Days are `2026-11-15`. */
export interface PaymentsFilter {
  readonly search?: string | undefined;
  readonly displayStatus?: Views["payments"]["request"]["displayStatus"] | undefined;
  readonly paymentMethodType?: string | undefined;
  readonly currency?: string | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export const paymentsFilter = (search: SearchParams): PaymentsFilter => ({
  search: readSearchText(search["search"]),
  displayStatus: displayStatusIn(search),
  paymentMethodType: readText(search["paymentMethodType"]),
  currency: readText(search["currency"]),
  from: readText(search["from"]),
  until: readText(search["until"]),
});

/**
 * `displayStatusIn` also accepts `paymentStatus`, because URLs that were saved before the display status existed
 * contain it.
 */
function displayStatusIn({ displayStatus, paymentStatus }: SearchParams): PaymentsFilter["displayStatus"] {
  const text = readText(displayStatus) ?? readText(paymentStatus);
  return (text === "SUCCESS" ? "PAID" : text) as PaymentsFilter["displayStatus"];
}

export interface ChartsFilter {
  readonly days?: number | undefined;
  readonly currency?: string | undefined;
  readonly paymentMethodType?: string | undefined;
}

export const chartsFilter = ({ days, currency, paymentMethodType }: SearchParams): ChartsFilter => ({
  days: typeof days === "number" ? days : undefined,
  currency: readText(currency),
  paymentMethodType: readText(paymentMethodType),
});

type DisputeStatus = Views["disputes"]["request"]["disputeStatus"];

export const disputesFilter = ({ disputeStatus }: SearchParams): { disputeStatus?: DisputeStatus } => ({
  disputeStatus: readText(disputeStatus) as DisputeStatus,
});

type RefundStatus = Views["refunds"]["request"]["refundStatus"];

export const refundsFilter = ({ refundStatus }: SearchParams): { refundStatus?: RefundStatus } => ({
  refundStatus: readText(refundStatus) as RefundStatus,
});

type CaptureStatus = Views["captures"]["request"]["captureStatus"];

export const capturesFilter = ({ captureStatus }: SearchParams): { captureStatus?: CaptureStatus } => ({
  captureStatus: readText(captureStatus) as CaptureStatus,
});

export const balanceFilter = ({ currency }: SearchParams): { currency?: string | undefined } => ({
  currency: readText(currency),
});

interface StatementFilter {
  readonly currency?: string | undefined;
  readonly month?: string | undefined;
}

export const statementFilter = ({ currency, month }: SearchParams): StatementFilter => ({
  currency: readText(currency),
  month: readText(month),
});

type AuthorizationStatus = Views["authorizations"]["request"]["authorizationStatus"];

export const authorizationsFilter = ({
  authorizationStatus,
}: SearchParams): { authorizationStatus?: AuthorizationStatus } => ({
  authorizationStatus: readText(authorizationStatus) as AuthorizationStatus,
});

type NotificationsRequest = Views["notifications"]["request"];
export type NotificationsFilter = {
  readonly [Name in "notificationStatus" | "notificationKind"]?: NotificationsRequest[Name] | undefined;
};

export const notificationsFilter = ({
  notificationStatus,
  notificationKind,
}: SearchParams): NotificationsFilter => ({
  notificationStatus: readText(notificationStatus) as NotificationsFilter["notificationStatus"],
  notificationKind: readText(notificationKind) as NotificationsFilter["notificationKind"],
});

type CallsOrder = Views["calls"]["request"]["order"];

export const callsOrder = ({ order }: SearchParams): { order?: CallsOrder | undefined } => ({
  order: readText(order) as CallsOrder,
});

interface TryParams {
  readonly operation?: string | undefined;
  readonly again?: string | undefined;
}

/** The parameters of the API explorer: an operation, or an earlier API request to send again. */
export const tryParams = ({ operation, again }: SearchParams): TryParams => ({
  operation: readText(operation),
  again: readText(again),
});

interface SignInParams {
  readonly to?: string | undefined;
  /** The reason why the response of the identity provider was rejected. */
  readonly refused?: "OIDC_REFUSED" | undefined;
}

/** The router keeps unknown parameters, so a rejected parameter is set to `undefined`. */
export const signInParams = ({ to, refused }: SearchParams): SignInParams => ({
  to: isOwnPath(to) ? to : undefined,
  refused: refused === "OIDC_REFUSED" ? refused : undefined,
});

/** Prevents an open redirect: only a path of the portal is accepted. */
function isOwnPath(to: unknown): to is string {
  return typeof to === "string" && /^\/(?![/\\])/.test(to);
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * `readSearchText` returns a text. The router parses digits in a URL as a number, and a search text can consist of
 * digits.
 */
function readSearchText(value: unknown): string | undefined {
  return typeof value === "number" ? String(value) : readText(value);
}
