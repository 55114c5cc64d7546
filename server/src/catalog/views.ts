import { viewAudit } from "../audit/view-audit.ts";
import { viewAuthorizations } from "../authorizations/view-authorizations.ts";
import { viewCaptures } from "../captures/view-captures.ts";
import { viewDispute } from "../disputes/view-dispute.ts";
import { viewDisputeDocument } from "../disputes/view-dispute-document.ts";
import { viewDisputes } from "../disputes/view-disputes.ts";
import { viewUnansweredDisputes } from "../disputes/view-unanswered-disputes.ts";
import { viewKeys } from "../keys/view-keys.ts";
import { viewBalance } from "../ledger/view-balance.ts";
import { viewMovements } from "../ledger/view-movements.ts";
import { viewStatement } from "../ledger/view-statement.ts";
import { viewStatementFile } from "../ledger/view-statement-file.ts";
import { viewBrand } from "../merchants/view-brand.ts";
import { viewCalls } from "../merchants/view-calls.ts";
import { viewRecentCall } from "../merchants/view-recent-call.ts";
import { viewRecentCalls } from "../merchants/view-recent-calls.ts";
import { viewEndpoints } from "../notifications/view-endpoints.ts";
import { viewNotification } from "../notifications/view-notification.ts";
import { viewNotifications } from "../notifications/view-notifications.ts";
import { viewPayment } from "../payments/view-payment.ts";
import { viewPayments } from "../payments/view-payments.ts";
import { viewPaymentOptions } from "../refunds/view-payment-options.ts";
import { viewRefunds } from "../refunds/view-refunds.ts";
import { viewStores } from "../registrations/view-stores.ts";
import { viewReport } from "../reports/view-report.ts";
import { viewSettlement } from "../settlement/view-settlement.ts";
import { viewSettlements } from "../settlement/view-settlements.ts";
import { viewClock } from "../test-clocks/view-clock.ts";
import { viewCharts } from "../search/view-charts.ts";
import type { View } from "../contract/view.ts";

/** All views. Routes, the OpenAPI document and the portal's types are derived from this list. */
export const views: readonly View[] = [
  viewPayments,
  viewPayment,
  viewPaymentOptions,
  viewCharts,
  viewRefunds,
  viewCaptures,
  viewDisputes,
  viewUnansweredDisputes,
  viewDispute,
  viewDisputeDocument,
  viewNotifications,
  viewNotification,
  viewEndpoints,
  viewCalls,
  viewRecentCalls,
  viewRecentCall,
  viewStores,
  viewBrand,
  viewAuthorizations,
  viewClock,
  viewKeys,
  viewBalance,
  viewMovements,
  viewSettlements,
  viewSettlement,
  viewReport,
  viewStatement,
  viewStatementFile,
  viewAudit,
].map(anyView);

/** Erases the types: views differ in shape, and each request is validated by the view's own schema. */
function anyView(view: object): View {
  return view as View;
}
