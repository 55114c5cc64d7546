import {
  holdJobsAct,
  releaseJobsAct,
  resendNotificationAct,
  retryJobsAct,
  showDeliveryQueues,
  showOpenRecords,
  showPayment,
} from "./staff-open-records.ts";
import {
  assignBreakAct,
  closeBreakAct,
  reopenBreakAct,
  showAudit,
  showBreaks,
  writeOffBreakAct,
} from "./staff-breaks.ts";
import {
  moveMerchantKey,
  resumeMerchant,
  setMerchant,
  showMerchant,
  showMerchants,
  suspendMerchant,
} from "./staff-merchants.ts";
import { showPayouts } from "./staff-payouts.ts";
import type { StaffRoute } from "./staff-route.ts";
import {
  disableConnector,
  enableConnector,
  moveConnectorKey,
  removeProviderAccountAct,
  setProviderAccountAct,
  showConnectors,
  showGatewayKeys,
  testConnectorAct,
} from "./staff-providers.ts";

/**
 * All routes of the operator console. The HTTP routes, the permission test and the console's types are derived from
 * this list.
 */
export const staffRoutes: readonly StaffRoute[] = [
  showOpenRecords,
  showDeliveryQueues,
  showPayment,
  showMerchants,
  showMerchant,
  showConnectors,
  showGatewayKeys,
  showPayouts,
  showBreaks,
  showAudit,
  retryJobsAct,
  holdJobsAct,
  releaseJobsAct,
  resendNotificationAct,
  setMerchant,
  suspendMerchant,
  resumeMerchant,
  moveMerchantKey,
  testConnectorAct,
  disableConnector,
  enableConnector,
  moveConnectorKey,
  setProviderAccountAct,
  removeProviderAccountAct,
  closeBreakAct,
  reopenBreakAct,
  assignBreakAct,
  writeOffBreakAct,
];
