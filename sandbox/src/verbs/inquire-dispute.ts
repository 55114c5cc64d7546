import { disputeOnTheWire } from "../wallet/dispute.ts";
import { isOfOtherAccount, isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a dispute. */
export const inquireDispute: Verb = {
  name: "inquire-dispute",
  folder: "disputes",
  act(wallet, fields) {
    const { providerDisputeId } = fields;
    if (!isReference(providerDisputeId)) return malformed("providerDisputeId");
    const dispute = wallet.projection.dispute(providerDisputeId);
    const order = dispute && wallet.projection.order(dispute.reference);
    if (!dispute || isOfOtherAccount(fields, order))
      return { code: "RECORD_NOT_FOUND", detail: "There is no such dispute." };
    return { code: "SUCCESS", fields: { dispute: disputeOnTheWire(dispute) } };
  },
};
