import { disputeOnTheWire } from "../wallet/dispute.ts";
import { isReference, malformed, type Verb } from "./verb.ts";

/** Returns the state of a dispute. */
export const inquireDispute: Verb = {
  name: "inquire-dispute",
  folder: "disputes",
  act(wallet, { walletDisputeId }) {
    if (!isReference(walletDisputeId)) return malformed("walletDisputeId");
    const dispute = wallet.projection.dispute(walletDisputeId);
    if (!dispute) return { code: "RECORD_NOT_FOUND", detail: "There is no such dispute." };
    return { code: "SUCCESS", fields: { dispute: disputeOnTheWire(dispute) } };
  },
};
