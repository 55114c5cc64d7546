import {
  hold,
  release,
  resend,
  retry,
  showDeliveryQueues,
  showOpenRecords,
  showPayment,
} from "./staff-board.ts";
import {
  assignOneBreak,
  closeOneBreak,
  reopenOneBreak,
  showAudit,
  showBreaks,
  writeOffOneBreak,
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
  showConnectors,
  showGatewayKeys,
  testWallet,
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
  retry,
  hold,
  release,
  resend,
  setMerchant,
  suspendMerchant,
  resumeMerchant,
  moveMerchantKey,
  testWallet,
  disableConnector,
  enableConnector,
  moveConnectorKey,
  closeOneBreak,
  reopenOneBreak,
  assignOneBreak,
  writeOffOneBreak,
];
