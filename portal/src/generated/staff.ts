// Made by `npm run generate` from the tables of the servers. Changes by hand are lost.

export interface Staff {
  /** What is not final, what is stuck first: whose move it is, what it waits for, and what can safely be done. */
  "openRecords": {
    request: object;
    response: {
      readonly openCount: number;
      readonly stuckCount: number;
      readonly heldCount: number;
      readonly records: readonly ({
        readonly kind: string;
        /** The merchant's client id. */
        readonly clientId: string;
        readonly id: string;
        readonly requestId?: string;
        readonly status: string;
        /** A time in ISO 8601. */
        readonly since: string;
        readonly isStuck: boolean;
        readonly isHeld: boolean;
        /** Whose move it is. */
        readonly owner: "buyer" | "wallet" | "merchant" | "gateway";
        /** What the gateway does next, in words. */
        readonly action: string;
        /** A time in ISO 8601. */
        readonly dueAt?: string;
        readonly attempts: number;
        readonly waitsFor?: {
          readonly connector: string;
          readonly why: "silent" | "not connected";
        };
        /** What can safely be done about it. */
        readonly steps: readonly ("retry" | "hold" | "release" | "resend")[];
      })[];
    };
  };
  /** Delivery lanes in which notifications wait, or that are paused. */
  "lanes": {
    request: object;
    response: {
      readonly lanes: readonly ({
        /** The merchant's client id. */
        readonly clientId: string;
        /** The address, or the kind, that the deliveries share. */
        readonly endpoint: string;
        readonly waitingCount: number;
        /** A time in ISO 8601. */
        readonly oldestAt?: string;
        readonly attemptsMax: number;
        /** A time in ISO 8601. */
        readonly pausedAt?: string;
      })[];
    };
  };
  /** A payment by any id of it, with all that happened and what is planned. */
  "payment": {
    request: {
      readonly id: string;
      /** The merchant's client id. */
      readonly clientId?: string;
    };
    response: {
      readonly payment: {
        /** The merchant's client id. */
        readonly clientId: string;
        readonly paymentId: string;
        readonly paymentRequestId: string;
        /** The merchant's order number. */
        readonly referenceOrderId?: string;
        readonly status: string;
        /** What to show to people: what is left after refunds and disputes. */
        readonly displayStatus: "PROCESSING" | "PENDING" | "AUTHORIZED" | "RELEASED" | "PAID" | "PARTLY_REFUNDED" | "REFUNDED" | "DISPUTED" | "DISPUTE_LOST" | "FAIL" | "CANCELLED";
        readonly resultCode: string;
        readonly amount?: {
          readonly currency: string;
          readonly value: string;
        };
        readonly captured?: {
          readonly currency: string;
          readonly value: string;
        };
        readonly refunded?: {
          readonly currency: string;
          readonly value: string;
        };
        readonly disputed?: {
          readonly currency: string;
          readonly value: string;
        };
        readonly kept?: {
          readonly currency: string;
          readonly value: string;
        };
        /** A time in ISO 8601. */
        readonly createdAt: string;
        /** A time in ISO 8601. */
        readonly paidAt?: string;
        /** A time in ISO 8601. */
        readonly expiresAt?: string;
        readonly paymentMethodType?: string;
        readonly connector?: string;
        readonly walletReference?: string;
      };
      readonly timeline: readonly ({
        /** A time in ISO 8601. */
        readonly at: string;
        readonly kind: string;
        readonly subjectId: string;
        readonly what: string;
        readonly detail?: string;
        readonly amount?: {
          readonly currency: string;
          readonly value: string;
        };
      })[];
      readonly jobs: readonly ({
        readonly job: string;
        /** What it does, in words. */
        readonly action: string;
        readonly subjectId: string;
        /** A time in ISO 8601. */
        readonly dueAt?: string;
        readonly attempts: number;
        readonly connector?: string;
        /** A time in ISO 8601. */
        readonly sentAt?: string;
        readonly lastWord?: string;
        /** What can safely be done about it. */
        readonly steps: readonly ("retry" | "hold" | "release" | "resend")[];
      })[];
    };
  };
  /** Merchants' clients here, by a part of their name or id, the newest first. */
  "merchants": {
    request: {
      readonly part?: string;
    };
    response: {
      readonly count: number;
      readonly merchants: readonly ({
        /** The merchant's client id. */
        readonly clientId: string;
        readonly name: string;
        readonly status: string;
        readonly ratePerSecond: number;
        readonly feeBasisPoints: number;
        readonly gatewayKeyVersion: number;
        /** A time in ISO 8601. */
        readonly createdAt: string;
      })[];
    };
  };
  /** The settings of a merchant: limits, fee, keys, addresses. */
  "merchant": {
    request: {
      /** The merchant's client id. */
      readonly clientId: string;
    };
    response: {
      /** The merchant's client id. */
      readonly clientId: string;
      readonly name: string;
      readonly status: "ACTIVE" | "SUSPENDED" | "CLOSED";
      readonly ratePerSecond: number;
      readonly rateBurst: number;
      readonly timeToleranceSeconds: number;
      readonly feeBasisPoints: number;
      /** Whether some payment has no fee rule, and pays feeBasisPoints. */
      readonly isPlainRateUsed: boolean;
      /** Fee rules that apply to its payments now, the most specific first. */
      readonly feeRules: readonly ({
        readonly ruleId: string;
        /** Set for this merchant, and not for all merchants. */
        readonly isOwn: boolean;
        /** Absent for all methods. */
        readonly paymentMethodType?: string;
        /** Absent for all currencies. */
        readonly currency?: string;
        /** A time in ISO 8601. */
        readonly fromAt: string;
        /** Rate, fixed part, minimum and maximum, such as `2.9 % + EUR 0.30`. */
        readonly fee: string;
        /** Tax on the fee, such as `19 %`. */
        readonly tax: string;
        /** What a payment of 100 costs, tax included; absent without a currency. */
        readonly example?: {
          readonly amount: {
            readonly currency: string;
            readonly value: string;
          };
          readonly cost: {
            readonly currency: string;
            readonly value: string;
          };
        };
      })[];
      readonly linkSchemes: readonly (string)[];
      readonly gatewayKeyVersion: number;
      /** Versions of its keys that are live. */
      readonly keyVersions: readonly (number)[];
      readonly notifyUrls: readonly ({
        readonly kind: string;
        /** Without its query. */
        readonly url: string;
      })[];
      /** Addresses or kinds that nothing is sent for. */
      readonly paused: readonly (string)[];
      /** How far its test clock is ahead. */
      readonly clockAheadSeconds: number;
      readonly payoutHold?: {
        /** The merchant's client id. */
        readonly clientId: string;
        /** A time in ISO 8601. */
        readonly heldAt: string;
        readonly heldBy: string;
        readonly reason: string;
      };
    };
  };
  /** All wallets: which do not answer, which are out of service, and how much waits for each. */
  "connectors": {
    request: object;
    response: {
      readonly connectors: readonly ({
        /** The wallet's name. */
        readonly name: string;
        readonly url: string;
        readonly paymentMethodTypes: readonly (string)[];
        readonly simulator: boolean;
        /** Whether a worker found within the last minute that it does not answer. */
        readonly isSilent: boolean;
        /** A time in ISO 8601. */
        readonly disabledAt?: string;
        readonly jobCount: number;
        readonly gatewayKeyVersion: number;
        /** SHA-256 of the wallet's own public key. */
        readonly keySha256: string;
        readonly refunds: string;
        readonly captures: string;
        readonly isIdempotent: boolean;
        readonly quietSeconds: number;
      })[];
    };
  };
  /** The gateway's own keys, and how many merchants and which wallets still rely on each. */
  "gatewayKeys": {
    request: object;
    response: {
      readonly keys: readonly ({
        readonly version: number;
        readonly keySha256: string;
        /** A time in ISO 8601. */
        readonly createdAt: string;
        readonly merchantCount: number;
        readonly connectors: readonly (string)[];
      })[];
    };
  };
  /** Payouts, the newest first, or those of a reference: with their batch, what banks have booked, and breaks. */
  "payouts": {
    request: {
      /** The payout's id, which banks show as the end-to-end id; its batch's, or its file's. */
      readonly reference?: string;
    };
    response: {
      readonly payouts: readonly ({
        /** The merchant's client id. */
        readonly clientId: string;
        readonly payoutId: string;
        readonly batchId: string;
        readonly amount: {
          readonly currency: string;
          readonly value: string;
        };
        readonly status: "CREATED" | "SENT" | "PAID" | "FAILED" | "RETURNED";
        /** Why it could not be paid, in the bank's word (ISO 20022). */
        readonly reasonCode?: string;
        /** Our bank that pays it. */
        readonly bank: string;
        readonly fileId?: string;
        readonly holder: string;
        /** Where it goes, in part. */
        readonly ibanShown: string;
        /** A time in ISO 8601. */
        readonly createdAt: string;
        /** A time in ISO 8601. */
        readonly sentAt?: string;
        /** A time in ISO 8601. */
        readonly finishedAt?: string;
        /** What banks have booked under its name; above zero when it came back. */
        readonly lines: readonly ({
          readonly bank: string;
          readonly entryReference: string;
          /** A time in ISO 8601. */
          readonly bookedAt: string;
          readonly sum: {
            readonly currency: string;
            readonly value: string;
          };
        })[];
        /** Where it does not agree with the bank. */
        readonly breaks: readonly ({
          readonly breakId: number;
          readonly kind: string;
          readonly isClosed: boolean;
        })[];
      })[];
      /** Merchants whose payouts are on hold, oldest hold first. */
      readonly holds: readonly ({
        /** The merchant's client id. */
        readonly clientId: string;
        /** A time in ISO 8601. */
        readonly heldAt: string;
        readonly heldBy: string;
        readonly reason: string;
      })[];
    };
  };
  /** Where records, ledger and wallets' files differ, what that means, and how it was explained. */
  "breaks": {
    request: object;
    response: {
      readonly breaks: readonly ({
        readonly breakId: number;
        readonly kind: string;
        readonly whatToDo: string;
        readonly connector?: string;
        /** What the sums are of: a movement, or a part of our books. */
        readonly subject: string;
        readonly reference: string;
        readonly paymentId?: string;
        readonly sums: readonly ({
          readonly of: string;
          readonly sum: {
            readonly currency: string;
            readonly value: string;
          };
        })[];
        /** By how much they differ. */
        readonly difference: {
          readonly currency: string;
          readonly value: string;
        };
        /** A time in ISO 8601. */
        readonly at?: string;
        readonly age: string;
        /** A time in ISO 8601. */
        readonly firstSeenAt: string;
        readonly closed?: {
          /** A time in ISO 8601. */
          readonly at: string;
          readonly by: string;
          readonly reason: string;
        };
        readonly assigned?: {
          readonly to: string;
          /** A time in ISO 8601. */
          readonly at: string;
        };
        readonly writtenOff?: {
          readonly currency: string;
          readonly value: string;
        };
        readonly writeOff?: {
          /** The account that has too much, or too little. */
          readonly account: string;
          /** What would be given up; below zero, what is gained. */
          readonly sum: {
            readonly currency: string;
            readonly value: string;
          };
        };
      })[];
      /** What is open, by currency and age. */
      readonly aged: readonly ({
        readonly currency: string;
        readonly sums: readonly ({
          readonly age: string;
          readonly count: number;
          readonly sum: {
            readonly currency: string;
            readonly value: string;
          };
        })[];
      })[];
      /** The newest reconciliation run; absent if nothing was ever compared. */
      readonly lastRun?: {
        /** A time in ISO 8601. */
        readonly ranAt: string;
        /** The only wallet that was compared. */
        readonly connector?: string;
        /** The only day (UTC) whose payments were compared. */
        readonly day?: string;
        /** Until when each wallet was compared, and with which files. */
        readonly walletFiles: readonly ({
          readonly connector: string;
          /** A time in ISO 8601. */
          readonly until: string;
          readonly fileCount: number;
          readonly newestFile?: string;
        })[];
        readonly bankFileCount: number;
      };
    };
  };
  /** Who did what here, to what, and why, the newest first, page by page. */
  "audit": {
    request: {
      /** The merchant's client id. */
      readonly clientId?: string;
      readonly actor?: string;
      readonly act?: string;
      /** ISO 8601 with a numeric offset. */
      readonly createdFrom?: string;
      /** ISO 8601 with a numeric offset. */
      readonly createdUntil?: string;
      readonly cursor?: string;
    };
    response: {
      readonly entries: readonly ({
        readonly seq: number;
        /** A time in ISO 8601. */
        readonly at: string;
        readonly actor: {
          readonly kind: string;
          readonly name: string;
          readonly role: string;
        };
        readonly act: string;
        readonly subject: string;
        readonly clientId?: string;
        readonly reason?: string;
        readonly changes: readonly ({
          readonly field: string;
          readonly before?: string;
          readonly after?: string;
        })[];
      })[];
      readonly nextCursor?: string;
    };
  };
  /** Does what is planned for a record now: asks the wallet, sends, delivers. */
  "retry": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly id: string;
      };
    };
    response: {
      readonly jobs: readonly ({
        readonly job: string;
        readonly isDone: boolean;
      })[];
    };
  };
  /** Does nothing about a record until it is released. */
  "hold": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly id: string;
      };
    };
    response: {
      readonly jobs: readonly ({
        readonly job: string;
        readonly isDone: boolean;
      })[];
    };
  };
  /** Does what was held, now. */
  "release": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly id: string;
      };
    };
    response: {
      readonly jobs: readonly ({
        readonly job: string;
        readonly isDone: boolean;
      })[];
    };
  };
  /** Tells a merchant again what one notification said. */
  "resend": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The merchant's client id. */
        readonly clientId: string;
        readonly notificationId: string;
      };
    };
    response: {
      readonly count: number;
    };
  };
  /** Changes the name, the limits or the fee of a merchant; what is not named stays as it is. */
  "setMerchant": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The merchant's client id. */
        readonly clientId: string;
        readonly name?: string;
        readonly ratePerSecond?: number;
        readonly rateBurst?: number;
        readonly timeToleranceSeconds?: number;
        readonly feeBasisPoints?: number;
      };
    };
    response: {
      /** The merchant's client id. */
      readonly clientId: string;
      readonly name: string;
      readonly status: "ACTIVE" | "SUSPENDED" | "CLOSED";
      readonly ratePerSecond: number;
      readonly rateBurst: number;
      readonly timeToleranceSeconds: number;
      readonly feeBasisPoints: number;
      /** Whether some payment has no fee rule, and pays feeBasisPoints. */
      readonly isPlainRateUsed: boolean;
      /** Fee rules that apply to its payments now, the most specific first. */
      readonly feeRules: readonly ({
        readonly ruleId: string;
        /** Set for this merchant, and not for all merchants. */
        readonly isOwn: boolean;
        /** Absent for all methods. */
        readonly paymentMethodType?: string;
        /** Absent for all currencies. */
        readonly currency?: string;
        /** A time in ISO 8601. */
        readonly fromAt: string;
        /** Rate, fixed part, minimum and maximum, such as `2.9 % + EUR 0.30`. */
        readonly fee: string;
        /** Tax on the fee, such as `19 %`. */
        readonly tax: string;
        /** What a payment of 100 costs, tax included; absent without a currency. */
        readonly example?: {
          readonly amount: {
            readonly currency: string;
            readonly value: string;
          };
          readonly cost: {
            readonly currency: string;
            readonly value: string;
          };
        };
      })[];
      readonly linkSchemes: readonly (string)[];
      readonly gatewayKeyVersion: number;
      /** Versions of its keys that are live. */
      readonly keyVersions: readonly (number)[];
      readonly notifyUrls: readonly ({
        readonly kind: string;
        /** Without its query. */
        readonly url: string;
      })[];
      /** Addresses or kinds that nothing is sent for. */
      readonly paused: readonly (string)[];
      /** How far its test clock is ahead. */
      readonly clockAheadSeconds: number;
      readonly payoutHold?: {
        /** The merchant's client id. */
        readonly clientId: string;
        /** A time in ISO 8601. */
        readonly heldAt: string;
        readonly heldBy: string;
        readonly reason: string;
      };
    };
  };
  /** Refuses all calls of a merchant, within a second, until it is resumed. */
  "suspendMerchant": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The merchant's client id. */
        readonly clientId: string;
      };
    };
    response: {
      /** The merchant's client id. */
      readonly clientId: string;
      readonly name: string;
      readonly status: "ACTIVE" | "SUSPENDED" | "CLOSED";
      readonly ratePerSecond: number;
      readonly rateBurst: number;
      readonly timeToleranceSeconds: number;
      readonly feeBasisPoints: number;
      /** Whether some payment has no fee rule, and pays feeBasisPoints. */
      readonly isPlainRateUsed: boolean;
      /** Fee rules that apply to its payments now, the most specific first. */
      readonly feeRules: readonly ({
        readonly ruleId: string;
        /** Set for this merchant, and not for all merchants. */
        readonly isOwn: boolean;
        /** Absent for all methods. */
        readonly paymentMethodType?: string;
        /** Absent for all currencies. */
        readonly currency?: string;
        /** A time in ISO 8601. */
        readonly fromAt: string;
        /** Rate, fixed part, minimum and maximum, such as `2.9 % + EUR 0.30`. */
        readonly fee: string;
        /** Tax on the fee, such as `19 %`. */
        readonly tax: string;
        /** What a payment of 100 costs, tax included; absent without a currency. */
        readonly example?: {
          readonly amount: {
            readonly currency: string;
            readonly value: string;
          };
          readonly cost: {
            readonly currency: string;
            readonly value: string;
          };
        };
      })[];
      readonly linkSchemes: readonly (string)[];
      readonly gatewayKeyVersion: number;
      /** Versions of its keys that are live. */
      readonly keyVersions: readonly (number)[];
      readonly notifyUrls: readonly ({
        readonly kind: string;
        /** Without its query. */
        readonly url: string;
      })[];
      /** Addresses or kinds that nothing is sent for. */
      readonly paused: readonly (string)[];
      /** How far its test clock is ahead. */
      readonly clockAheadSeconds: number;
      readonly payoutHold?: {
        /** The merchant's client id. */
        readonly clientId: string;
        /** A time in ISO 8601. */
        readonly heldAt: string;
        readonly heldBy: string;
        readonly reason: string;
      };
    };
  };
  /** Takes the calls of a merchant that was suspended again. */
  "resumeMerchant": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The merchant's client id. */
        readonly clientId: string;
      };
    };
    response: {
      /** The merchant's client id. */
      readonly clientId: string;
      readonly name: string;
      readonly status: "ACTIVE" | "SUSPENDED" | "CLOSED";
      readonly ratePerSecond: number;
      readonly rateBurst: number;
      readonly timeToleranceSeconds: number;
      readonly feeBasisPoints: number;
      /** Whether some payment has no fee rule, and pays feeBasisPoints. */
      readonly isPlainRateUsed: boolean;
      /** Fee rules that apply to its payments now, the most specific first. */
      readonly feeRules: readonly ({
        readonly ruleId: string;
        /** Set for this merchant, and not for all merchants. */
        readonly isOwn: boolean;
        /** Absent for all methods. */
        readonly paymentMethodType?: string;
        /** Absent for all currencies. */
        readonly currency?: string;
        /** A time in ISO 8601. */
        readonly fromAt: string;
        /** Rate, fixed part, minimum and maximum, such as `2.9 % + EUR 0.30`. */
        readonly fee: string;
        /** Tax on the fee, such as `19 %`. */
        readonly tax: string;
        /** What a payment of 100 costs, tax included; absent without a currency. */
        readonly example?: {
          readonly amount: {
            readonly currency: string;
            readonly value: string;
          };
          readonly cost: {
            readonly currency: string;
            readonly value: string;
          };
        };
      })[];
      readonly linkSchemes: readonly (string)[];
      readonly gatewayKeyVersion: number;
      /** Versions of its keys that are live. */
      readonly keyVersions: readonly (number)[];
      readonly notifyUrls: readonly ({
        readonly kind: string;
        /** Without its query. */
        readonly url: string;
      })[];
      /** Addresses or kinds that nothing is sent for. */
      readonly paused: readonly (string)[];
      /** How far its test clock is ahead. */
      readonly clockAheadSeconds: number;
      readonly payoutHold?: {
        /** The merchant's client id. */
        readonly clientId: string;
        /** A time in ISO 8601. */
        readonly heldAt: string;
        readonly heldBy: string;
        readonly reason: string;
      };
    };
  };
  /** Signs what goes to a merchant with another gateway key, whose public half it has to know already. */
  "moveMerchantKey": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The merchant's client id. */
        readonly clientId: string;
        readonly version: number;
      };
    };
    response: {
      /** The merchant's client id. */
      readonly clientId: string;
      readonly name: string;
      readonly status: "ACTIVE" | "SUSPENDED" | "CLOSED";
      readonly ratePerSecond: number;
      readonly rateBurst: number;
      readonly timeToleranceSeconds: number;
      readonly feeBasisPoints: number;
      /** Whether some payment has no fee rule, and pays feeBasisPoints. */
      readonly isPlainRateUsed: boolean;
      /** Fee rules that apply to its payments now, the most specific first. */
      readonly feeRules: readonly ({
        readonly ruleId: string;
        /** Set for this merchant, and not for all merchants. */
        readonly isOwn: boolean;
        /** Absent for all methods. */
        readonly paymentMethodType?: string;
        /** Absent for all currencies. */
        readonly currency?: string;
        /** A time in ISO 8601. */
        readonly fromAt: string;
        /** Rate, fixed part, minimum and maximum, such as `2.9 % + EUR 0.30`. */
        readonly fee: string;
        /** Tax on the fee, such as `19 %`. */
        readonly tax: string;
        /** What a payment of 100 costs, tax included; absent without a currency. */
        readonly example?: {
          readonly amount: {
            readonly currency: string;
            readonly value: string;
          };
          readonly cost: {
            readonly currency: string;
            readonly value: string;
          };
        };
      })[];
      readonly linkSchemes: readonly (string)[];
      readonly gatewayKeyVersion: number;
      /** Versions of its keys that are live. */
      readonly keyVersions: readonly (number)[];
      readonly notifyUrls: readonly ({
        readonly kind: string;
        /** Without its query. */
        readonly url: string;
      })[];
      /** Addresses or kinds that nothing is sent for. */
      readonly paused: readonly (string)[];
      /** How far its test clock is ahead. */
      readonly clockAheadSeconds: number;
      readonly payoutHold?: {
        /** The merchant's client id. */
        readonly clientId: string;
        /** A time in ISO 8601. */
        readonly heldAt: string;
        readonly heldBy: string;
        readonly reason: string;
      };
    };
  };
  /** Asks a wallet about an order that was never sent, and says how it answers. It moves no money. */
  "testConnector": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The wallet's name. */
        readonly name: string;
      };
    };
    response: {
      readonly isWell: boolean;
      readonly said: string;
      readonly tookMs: number;
    };
  };
  /** Begins nothing new with a wallet, until it is enabled again. What was begun goes on. */
  "disableConnector": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The wallet's name. */
        readonly name: string;
      };
    };
    response: {
      /** The wallet's name. */
      readonly name: string;
      readonly url: string;
      readonly paymentMethodTypes: readonly (string)[];
      readonly simulator: boolean;
      /** Whether a worker found within the last minute that it does not answer. */
      readonly isSilent: boolean;
      /** A time in ISO 8601. */
      readonly disabledAt?: string;
      readonly jobCount: number;
      readonly gatewayKeyVersion: number;
      /** SHA-256 of the wallet's own public key. */
      readonly keySha256: string;
      readonly refunds: string;
      readonly captures: string;
      readonly isIdempotent: boolean;
      readonly quietSeconds: number;
    };
  };
  /** Takes payments with a wallet again. */
  "enableConnector": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The wallet's name. */
        readonly name: string;
      };
    };
    response: {
      /** The wallet's name. */
      readonly name: string;
      readonly url: string;
      readonly paymentMethodTypes: readonly (string)[];
      readonly simulator: boolean;
      /** Whether a worker found within the last minute that it does not answer. */
      readonly isSilent: boolean;
      /** A time in ISO 8601. */
      readonly disabledAt?: string;
      readonly jobCount: number;
      readonly gatewayKeyVersion: number;
      /** SHA-256 of the wallet's own public key. */
      readonly keySha256: string;
      readonly refunds: string;
      readonly captures: string;
      readonly isIdempotent: boolean;
      readonly quietSeconds: number;
    };
  };
  /** Signs what goes to a wallet with another gateway key, whose public half it has to know already. */
  "moveConnectorKey": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        /** The wallet's name. */
        readonly name: string;
        readonly version: number;
      };
    };
    response: {
      /** The wallet's name. */
      readonly name: string;
      readonly gatewayKeyVersion: number;
    };
  };
  /** Closes a break that you can explain; the reason is the explanation. Nothing in the books is changed. */
  "closeBreak": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly breakId: number;
      };
    };
    response: {
      readonly breakId: number;
      readonly kind: string;
      readonly whatToDo: string;
      readonly connector?: string;
      /** What the sums are of: a movement, or a part of our books. */
      readonly subject: string;
      readonly reference: string;
      readonly paymentId?: string;
      readonly sums: readonly ({
        readonly of: string;
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      })[];
      /** By how much they differ. */
      readonly difference: {
        readonly currency: string;
        readonly value: string;
      };
      /** A time in ISO 8601. */
      readonly at?: string;
      readonly age: string;
      /** A time in ISO 8601. */
      readonly firstSeenAt: string;
      readonly closed?: {
        /** A time in ISO 8601. */
        readonly at: string;
        readonly by: string;
        readonly reason: string;
      };
      readonly assigned?: {
        readonly to: string;
        /** A time in ISO 8601. */
        readonly at: string;
      };
      readonly writtenOff?: {
        readonly currency: string;
        readonly value: string;
      };
      readonly writeOff?: {
        /** The account that has too much, or too little. */
        readonly account: string;
        /** What would be given up; below zero, what is gained. */
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      };
    };
  };
  /** Opens a break again whose explanation does not hold. */
  "reopenBreak": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly breakId: number;
      };
    };
    response: {
      readonly breakId: number;
      readonly kind: string;
      readonly whatToDo: string;
      readonly connector?: string;
      /** What the sums are of: a movement, or a part of our books. */
      readonly subject: string;
      readonly reference: string;
      readonly paymentId?: string;
      readonly sums: readonly ({
        readonly of: string;
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      })[];
      /** By how much they differ. */
      readonly difference: {
        readonly currency: string;
        readonly value: string;
      };
      /** A time in ISO 8601. */
      readonly at?: string;
      readonly age: string;
      /** A time in ISO 8601. */
      readonly firstSeenAt: string;
      readonly closed?: {
        /** A time in ISO 8601. */
        readonly at: string;
        readonly by: string;
        readonly reason: string;
      };
      readonly assigned?: {
        readonly to: string;
        /** A time in ISO 8601. */
        readonly at: string;
      };
      readonly writtenOff?: {
        readonly currency: string;
        readonly value: string;
      };
      readonly writeOff?: {
        /** The account that has too much, or too little. */
        readonly account: string;
        /** What would be given up; below zero, what is gained. */
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      };
    };
  };
  /** Says who looks after a break: you, somebody who is named, or nobody with an empty name. */
  "assignBreak": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly breakId: number;
        readonly to?: string;
      };
    };
    response: {
      readonly breakId: number;
      readonly kind: string;
      readonly whatToDo: string;
      readonly connector?: string;
      /** What the sums are of: a movement, or a part of our books. */
      readonly subject: string;
      readonly reference: string;
      readonly paymentId?: string;
      readonly sums: readonly ({
        readonly of: string;
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      })[];
      /** By how much they differ. */
      readonly difference: {
        readonly currency: string;
        readonly value: string;
      };
      /** A time in ISO 8601. */
      readonly at?: string;
      readonly age: string;
      /** A time in ISO 8601. */
      readonly firstSeenAt: string;
      readonly closed?: {
        /** A time in ISO 8601. */
        readonly at: string;
        readonly by: string;
        readonly reason: string;
      };
      readonly assigned?: {
        readonly to: string;
        /** A time in ISO 8601. */
        readonly at: string;
      };
      readonly writtenOff?: {
        readonly currency: string;
        readonly value: string;
      };
      readonly writeOff?: {
        /** The account that has too much, or too little. */
        readonly account: string;
        /** What would be given up; below zero, what is gained. */
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      };
    };
  };
  /** Gives up what a break is about: posts the difference to adjustment or rounding, and closes it. In live it takes two people. */
  "writeOffBreak": {
    request: {
      /** Why you do it, for the audit log. */
      readonly reason: string;
      readonly request: {
        readonly breakId: number;
      };
    };
    response: {
      readonly breakId: number;
      readonly kind: string;
      readonly whatToDo: string;
      readonly connector?: string;
      /** What the sums are of: a movement, or a part of our books. */
      readonly subject: string;
      readonly reference: string;
      readonly paymentId?: string;
      readonly sums: readonly ({
        readonly of: string;
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      })[];
      /** By how much they differ. */
      readonly difference: {
        readonly currency: string;
        readonly value: string;
      };
      /** A time in ISO 8601. */
      readonly at?: string;
      readonly age: string;
      /** A time in ISO 8601. */
      readonly firstSeenAt: string;
      readonly closed?: {
        /** A time in ISO 8601. */
        readonly at: string;
        readonly by: string;
        readonly reason: string;
      };
      readonly assigned?: {
        readonly to: string;
        /** A time in ISO 8601. */
        readonly at: string;
      };
      readonly writtenOff?: {
        readonly currency: string;
        readonly value: string;
      };
      readonly writeOff?: {
        /** The account that has too much, or too little. */
        readonly account: string;
        /** What would be given up; below zero, what is gained. */
        readonly sum: {
          readonly currency: string;
          readonly value: string;
        };
      };
    };
  };
}

export const rightOfStaffAct = {
  "retry": {"right":"jobs.retry"},
  "hold": {"right":"jobs.retry"},
  "release": {"right":"jobs.retry"},
  "resend": {"right":"jobs.retry"},
  "setMerchant": {"right":"merchants.change"},
  "suspendMerchant": {"right":"merchants.change"},
  "resumeMerchant": {"right":"merchants.change"},
  "moveMerchantKey": {"right":"merchants.change"},
  "testConnector": {"right":"wallets.change"},
  "disableConnector": {"right":"wallets.change"},
  "enableConnector": {"right":"wallets.change"},
  "moveConnectorKey": {"right":"wallets.change"},
  "closeBreak": {"right":"breaks.close"},
  "reopenBreak": {"right":"breaks.close"},
  "assignBreak": {"right":"breaks.close"},
  "writeOffBreak": {"right":"breaks.write-off"},
} as const;
