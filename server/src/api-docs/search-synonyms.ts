import { kindFacts } from "../notifications/notification-kinds.ts";

/**
 * Words that merchants use for a page, other than the words of the page. These words count nearly as much as the title.
 * `docs-search.test.ts` lists queries and the pages that must be found.
 */
export const searchSynonyms: Readonly<Record<string, string>> = {
  "/docs/first-request":
    "quick start getting started hello world begin curl openssl generate key pair first call register",
  "/docs/libraries":
    "sdk client library install npm maven composer pip java php python go golang typescript node environment variables",
  "/docs/signing":
    "signature sign header authenticate authentication verify answer response public private key rsa sha256 request-time client-id wrong invalid clock skew replay attack",
  "/docs/environments":
    "go live production test mode sandbox host url base path switch permission access live",
  "/docs/results": "error codes errors list status unknown failed refused what to do",
  "/docs/statuses":
    "final statuses which status is final terminal end state lifecycle state machine transition change later success cancelled pending processing payment refund dispute payout",
  "/docs/idempotency":
    "send twice same request again duplicate retry safe lost answer timeout no answer double charge charged idempotent",
  "/docs/limits": "rate limit too many requests throttle timeout size big body per second",
  "/docs/notifications":
    "webhook webhooks callback acknowledge answer reply ack retried retries often how long verify endpoint listen circuit breaker of an endpoint backoff",
  "/docs/payments/pay":
    "charge take payment checkout order buy redirect in-store store till qr code barcode scan terminal pos hold authorize token recurring subscription charge saved",
  "/docs/payments/inquiryPayment":
    "status of a payment was it paid check look up poll final pending order paid yet",
  "/docs/payments/cancel": "void undo stop abort call off payment not wanted reverse close unpaid",
  "/docs/payments/capture": "take held authorized money hold capture part partial later ship shipped collect",
  "/docs/payments/refund": "give money back return reimburse part partial full amount buyer returned goods",
  "/docs/payments/inquiryRefund": "status of a refund arrived money back check",
  "/docs/payments/consult": "which payment methods available providers list choose currency supported",
  "/docs/payments/createPaymentSession":
    "hosted checkout page buyer chooses method session all methods one link",
  "/docs/payments/retrievePaymentSession": "session order details again",
  "/docs/payments/acceptDispute": "chargeback give in lose accept dispute",
  "/docs/payments/supplyDefenseDocument":
    "chargeback evidence defend upload document proof dispute fight contest answer pdf chargeback evidence representment",
  "/docs/payments/downloadDisputeEvidence": "chargeback letter template evidence download file",
  "/docs/authorizations/consult":
    "ask consent buyer agree recurring subscription save link wallet account charge again later without asking bind",
  "/docs/authorizations/applyToken": "auth code exchange access token refresh renew expired token",
  "/docs/authorizations/query": "token status valid still good active expired",
  "/docs/authorizations/revoke": "end subscription unbind unlink delete token consent withdraw",
  "/docs/merchants/registration": "register store shop merchant provider onboarding kyb sub-merchant add",
  "/docs/merchants/inquiryRegistrationStatus": "store accepted rejected approved yet registration status",
  "/docs/merchants/inquiryRegistrationInfo": "registered details store merchant as provider knows",
  "/docs/tollgate/inquiryBalance":
    "how much do we have balance owed available funds account reserve in transit",
  "/docs/tollgate/inquiryStatements":
    "statement of account ledger day month bookkeeping fees opening closing balance",
  "/docs/tollgate/inquirySettlements":
    "payout batch settlement paid out to my bank which payments are in it reconciliation reconcile fx rate currency conversion",
  "/docs/tollgate/inquiryOpenRecords": "stuck pending unfinished open hanging what is happening next",
  "/docs/tollgate/inquiryEvents": "feed event stream all events sse poll cursor missed without webhook",
  "/docs/tollgate/inquiryNotifications":
    "why was notification not delivered log attempts webhook not arrive arrived received failed delivery history",
  "/docs/tollgate/resendNotifications":
    "replay webhook again missed redeliver send again after outage dead letter exhausted",
  "/docs/tollgate/changeEndpoints": "set change webhook url address default pause stop delivery",
  "/docs/tollgate/changeBrand": "logo colour color theme support link checkout page look style customize",
  "/docs/tollgate/advanceClock": "time travel test expiry simulate days later move clock forward",
  "/docs/tollgate/orderFault": "test duplicate delayed lost notification simulate failure chaos",
  "/docs/tollgate/inquiryKeyUse": "which key in use rotate revoke safe old key",
  "/docs/tollgate/useGatewayKey": "gateway public key rotate new key pinned change version",
  ...Object.fromEntries(kindFacts.map(([kind, { search }]) => [`/docs/notifications/${kind}`, search])),
};
