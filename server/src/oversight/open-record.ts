/** What can be unfinished. */
export type OpenKind =
  | "payment"
  | "capture"
  | "refund"
  | "reversal"
  | "registration"
  | "dispute"
  | "authorization"
  | "token"
  | "notification";

/** A record that is not final, and what happens to it next. */
export interface OpenRecord {
  readonly kind: OpenKind;
  readonly clientId: string;
  readonly id: string;
  /** The merchant's own id, where it gave one. */
  readonly requestId: string | undefined;
  readonly status: string;
  readonly since: Date;
  /** Absent when nothing is planned, which must not be. */
  readonly next: NextAction | undefined;
}

export interface NextAction {
  readonly job: string;
  /** Undefined when it is due and waits for others of its kind. */
  readonly at: Date | undefined;
  readonly attempts: number;
  /** Whether it has waited long for others of its kind, of which none was stopped or tried in vain. */
  readonly isForgotten: boolean;
  /** The wallet that it waits for, if that one is not there to be asked. */
  readonly missing: MissingWallet | undefined;
}

/** A wallet that does not answer just now, or that is not connected any more. */
export interface MissingWallet {
  readonly connector: string;
  readonly why: "silent" | "not connected";
}

export type Owner = "buyer" | "wallet" | "merchant" | "gateway";

/** Whose move it is: everybody can see whom to ask. */
export function ownerOf({ kind, status, next }: OpenRecord): Owner {
  if (!next) return "gateway";
  if (kind === "notification" || (kind === "dispute" && status === "CREATED")) return "merchant";
  if (kind === "authorization" && status === "AGREED") return "merchant";
  const isWithBuyer = (kind === "payment" && status === "PROCESSING") || status === "ASKED";
  return isWithBuyer ? "buyer" : "wallet";
}

const actions: Readonly<Record<string, string>> = {
  "drive-payment": "Ask the wallet after the payment, or close it when it has expired.",
  "close-session": "Close the session when nobody has chosen how to pay.",
  "release-authorization": "Let the held money go.",
  "reverse-payment": "Send the money back.",
  "send-capture": "Have the wallet capture, or ask it whether it has.",
  "send-refund": "Have the wallet refund, or ask it whether it has.",
  "send-registration": "Have the wallets register, or ask them whether they have.",
  "answer-dispute": "Bring the merchant's answer to the wallet.",
  "watch-dispute": "Ask the wallet after the dispute, or accept it when its time is over.",
  "follow-authorization":
    "Ask the wallet whether the buyer has agreed, let the code expire, or tell the wallet that it is over.",
  "exchange-code": "Have the wallet exchange the code.",
  "deliver-notification": "Tell the merchant.",
};

export function actionOf({ next }: OpenRecord): string {
  return next ? actionOfJob(next.job) : "None is planned.";
}

/** What a job does, in words for people. */
export function actionOfJob(job: string): string {
  return actions[job] ?? job;
}

/** Longer than a lease and a look: by then somebody should have come. */
const overdueMs = 60_000;

/** Nobody will come back to it by itself, or somebody should have long ago. What waits for a silent wallet is not alone. */
export function isStuck({ next }: OpenRecord, now: Date): boolean {
  if (!next || next.isForgotten) return true;
  if (next.missing?.why === "silent") return false;
  return next.at !== undefined && now.getTime() - next.at.getTime() > overdueMs;
}
