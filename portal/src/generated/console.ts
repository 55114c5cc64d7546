// Made by `npm run generate` from the tables of the servers. Changes by hand are lost.

export interface Views {
  /** Lists and searches payments, the newest first. */
  "payments": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. Many are for those who save a list to a file. */
      readonly limit?: number;
      /** Only what belongs to this: an id of the payment or of a capture, refund or dispute of it, the wallet's reference, how your own request id or order number begins, or an amount as people write it, such as `12.50` or `EUR 12.50`. */
      readonly search?: string;
      /** Only what stands there. */
      readonly paymentStatus?: "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";
      /** Only payments with this display status. It stands above `paymentStatus`. */
      readonly displayStatus?: "PROCESSING" | "PENDING" | "AUTHORIZED" | "RELEASED" | "PAID" | "PARTLY_REFUNDED" | "REFUNDED" | "DISPUTED" | "DISPUTE_LOST" | "FAIL" | "CANCELLED";
      /** Only what is paid so. */
      readonly paymentMethodType?: string;
      /** Only this currency. */
      readonly currency?: string;
      /** Only from this amount on, in the currency's smallest unit. */
      readonly amountFrom?: string;
      /** Only up to this amount, in the currency's smallest unit. */
      readonly amountUntil?: string;
    };
    response: {
      /** The payments, the newest first. */
      readonly payments: readonly ({
        /** Our name for the payment. */
        readonly paymentId: string;
        /** Your own name for the payment; it is never used for another one. */
        readonly paymentRequestId: string;
        /** Where the payment stands. */
        readonly paymentStatus: "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";
        /** What to show to people: the status, and what is left after refunds and disputes. */
        readonly displayStatus: "PROCESSING" | "PENDING" | "AUTHORIZED" | "RELEASED" | "PAID" | "PARTLY_REFUNDED" | "REFUNDED" | "DISPUTED" | "DISPUTE_LOST" | "FAIL" | "CANCELLED";
        /** Your own order number. */
        readonly referenceOrderId?: string;
        /** Why it stands there. */
        readonly paymentResultCode: string;
        /** What kind of payment it is. */
        readonly productCode: "CASHIER_PAYMENT" | "AGREEMENT_PAYMENT" | "IN_STORE_PAYMENT";
        /** How the buyer pays. */
        readonly paymentMethodType?: string;
        /** The wallet that has the order. */
        readonly wallet?: string;
        /** What was sold, in your words. */
        readonly orderDescription?: string;
        /** What was asked for. */
        readonly paymentAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What was really paid. */
        readonly actualPaymentAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What was taken of it, if anything was. */
        readonly capturedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What goes back or went back, if anything does. */
        readonly refundedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What disputes freeze or have taken, if anything. */
        readonly disputedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What is left of the captured amount after refunds and disputes, before fees; absent if nothing was captured. */
        readonly keptAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit; it can be negative. */
          readonly value: string;
        };
        /** When we took it in. */
        readonly paymentCreateTime: string;
        /** When it was paid. */
        readonly paymentTime?: string;
        /** Until when the buyer can pay. */
        readonly paymentExpiryTime?: string;
        /** Until when held money can be captured. */
        readonly authExpiryTime?: string;
        /** Since when it is to be cancelled. */
        readonly cancelRequestedTime?: string;
        /** When it was cancelled. */
        readonly cancelTime?: string;
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
      /** All that happened up to so many seconds ago is taken into account. */
      readonly ageSeconds: number;
    };
  };
  /** Shows all that happened to a payment, by any id that belongs to it. */
  "payment": {
    request: {
      /** Of the payment, or of what belongs to it. */
      readonly id: string;
    };
    response: {
      /** The payment. */
      readonly payment: {
        /** Our name for the payment. */
        readonly paymentId: string;
        /** Your own name for the payment; it is never used for another one. */
        readonly paymentRequestId: string;
        /** Where the payment stands. */
        readonly paymentStatus: "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";
        /** What to show to people: the status, and what is left after refunds and disputes. */
        readonly displayStatus: "PROCESSING" | "PENDING" | "AUTHORIZED" | "RELEASED" | "PAID" | "PARTLY_REFUNDED" | "REFUNDED" | "DISPUTED" | "DISPUTE_LOST" | "FAIL" | "CANCELLED";
        /** Your own order number. */
        readonly referenceOrderId?: string;
        /** Why it stands there. */
        readonly paymentResultCode: string;
        /** What kind of payment it is. */
        readonly productCode: "CASHIER_PAYMENT" | "AGREEMENT_PAYMENT" | "IN_STORE_PAYMENT";
        /** How the buyer pays. */
        readonly paymentMethodType?: string;
        /** The wallet that has the order. */
        readonly wallet?: string;
        /** What was sold, in your words. */
        readonly orderDescription?: string;
        /** What was asked for. */
        readonly paymentAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What was really paid. */
        readonly actualPaymentAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What was taken of it, if anything was. */
        readonly capturedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What goes back or went back, if anything does. */
        readonly refundedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What disputes freeze or have taken, if anything. */
        readonly disputedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What is left of the captured amount after refunds and disputes, before fees; absent if nothing was captured. */
        readonly keptAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit; it can be negative. */
          readonly value: string;
        };
        /** When we took it in. */
        readonly paymentCreateTime: string;
        /** When it was paid. */
        readonly paymentTime?: string;
        /** Until when the buyer can pay. */
        readonly paymentExpiryTime?: string;
        /** Until when held money can be captured. */
        readonly authExpiryTime?: string;
        /** Since when it is to be cancelled. */
        readonly cancelRequestedTime?: string;
        /** When it was cancelled. */
        readonly cancelTime?: string;
      };
      /** Our fee on it with its tax, less what refunds returned; absent if nothing was posted. */
      readonly feeAmount?: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit; it can be negative. */
        readonly value: string;
      };
      /** What the payment, and what followed it, added to what we owe you, fees included; absent if nothing was posted. */
      readonly netAmount?: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit; it can be negative. */
        readonly value: string;
      };
      /** What happened, the oldest first. */
      readonly timeline: readonly ({
        /** When it happened. */
        readonly time: string;
        /** Where it comes from. */
        readonly kind: "payment" | "order" | "callback" | "capture" | "refund" | "reversal" | "dispute" | "ledger" | "notification" | "attempt";
        /** The record that it happened to. */
        readonly subjectId: string;
        /** A status, an effect, or what was done. */
        readonly what: string;
        /** More of it. */
        readonly detail?: string;
        /** What a notification tells of. */
        readonly aboutId?: string;
        /** How much, where money is meant. */
        readonly amount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
      })[];
      /** What is to be done, the next one first. */
      readonly planned: readonly ({
        /** What is planned. */
        readonly job: string;
        /** For which record. */
        readonly subjectId: string;
        /** When; absent while its endpoint is busy. */
        readonly dueTime?: string;
        /** How often it was tried. */
        readonly attempts: number;
        /** The wallet that it needs. */
        readonly wallet?: string;
      })[];
      /** What moved its money since, the oldest first. */
      readonly transactions: readonly ({
        /** Our name for the capture, refund or cancel. */
        readonly transactionId: string;
        /** Your own name for it. */
        readonly transactionRequestId: string;
        /** What was done. */
        readonly transactionType: "CAPTURE" | "REFUND" | "CANCEL";
        /** Where it stands. */
        readonly transactionStatus: "PROCESSING" | "SUCCESS" | "FAIL";
        /** Why it stands there. */
        readonly transactionResultCode: string;
        /** How much was moved. */
        readonly transactionAmount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** When it was done. */
        readonly transactionTime?: string;
      })[];
      /** What it and they caused in the books, as double entry. */
      readonly ledger: readonly ({
        /** The payment, capture, refund or other record that caused it. */
        readonly subjectId: string;
        /** What happened to the record. */
        readonly effect: "payment" | "capture" | "refund" | "cancel" | "late success" | "reversal" | "dispute freeze" | "dispute release" | "dispute debit" | "reserve hold" | "reserve release" | "exchange" | "payout" | "payout paid" | "payout failed" | "payout returned";
        /** The account that is debited. */
        readonly debitAccount: string;
        /** The account that is credited. */
        readonly creditAccount: string;
        /** How much moved from the one to the other. */
        readonly amount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What it changes in what we owe you, in the currency's smallest unit; zero if it is nothing of yours. */
        readonly owedChange: string;
        /** When it was posted. */
        readonly time: string;
      })[];
      /** The batches with which it, and what followed it, is paid out. */
      readonly settledIn: readonly ({
        /** Our name for the batch. */
        readonly batchId: string;
        /** The last day of its movements. */
        readonly toDay: string;
        /** Where it stands. */
        readonly status: "DUE" | "CARRIED" | "PAYING" | "PAID";
      })[];
      /** What the merchant was told of it. */
      readonly notifications: readonly ({
        /** Our name for the notification. */
        readonly notificationId: string;
        /** What it tells. */
        readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
        /** Where it stands. */
        readonly notificationStatus: "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";
        /** The payment, capture, refund or other record that it tells of. */
        readonly subjectId: string;
        /** Which change of its payment it tells. */
        readonly sequence: number;
        /** Where it goes. */
        readonly url?: string;
        /** When it happened. */
        readonly createdTime: string;
        /** When your system acknowledged it. */
        readonly deliveredTime?: string;
        /** When it is sent again. */
        readonly nextAttemptTime?: string;
        /** Every attempt to deliver it, the first one first. */
        readonly attempts: readonly ({
          /** When it was sent. */
          readonly attemptTime: string;
          /** Of our key that signed it. */
          readonly keyVersion: number;
          /** Zero when there was no answer. */
          readonly httpStatus: number;
          /** Why there was none; in the sandbox also why it does not acknowledge. */
          readonly failure?: string;
          /** The beginning of what your system said. */
          readonly answer: string;
          /** Milliseconds until your address was looked up. */
          readonly dnsMs?: number;
          /** Milliseconds until the connection stood. */
          readonly connectMs?: number;
          /** Milliseconds until TLS was agreed. */
          readonly tlsMs?: number;
          /** Milliseconds until the first byte of your answer came. */
          readonly firstByteMs?: number;
          /** Milliseconds until it was over. */
          readonly totalMs?: number;
        })[];
      })[];
      /** The merchant's calls of the seconds in which the payment was made. The log does not say which of them made it. */
      readonly callsAround: readonly ({
        /** Our name for the call; tell it to the provider when you ask about one. */
        readonly requestId: string;
        /** When it came in. */
        readonly createdTime: string;
        /** What was called. */
        readonly path: string;
        /** Of your key that signed it. */
        readonly keyVersion: number;
        /** What it was answered with. */
        readonly resultCode: string;
        /** How long it took us. */
        readonly durationMs: number;
      })[];
    };
  };
  /** Shows what can be done with a payment now, how much is left of it, and why something cannot be done. */
  "paymentOptions": {
    request: {
      /** Our name for the payment. */
      readonly id: string;
    };
    response: {
      /** Giving money back. */
      readonly refund?: {
        /** What is left of the payment to refund. */
        readonly left: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** The most that can be refunded now: what is left, or what your balance covers. */
        readonly most: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Whether it can be less than that. */
        readonly inParts: boolean;
        /** Why it cannot be refunded now. */
        readonly whyNot?: "ORDER_IS_CANCELED" | "ORDER_IS_CLOSED" | "ORDER_STATUS_INVALID" | "CURRENCY_NOT_SUPPORT" | "REFUND_NOT_SUPPORTED" | "REFUND_WINDOW_EXCEED" | "REFUND_AMOUNT_EXCEED" | "PARTIAL_REFUND_NOT_SUPPORTED" | "MULTIPLE_REFUNDS_NOT_SUPPORTED" | "MERCHANT_BALANCE_NOT_ENOUGH";
      };
      /** Taking held money. */
      readonly capture?: {
        /** What is held and not captured yet. */
        readonly left: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Why it cannot be captured now. */
        readonly whyNot?: "AUTH_NOT_FOUND" | "AUTH_CANCELLED" | "ORDER_IS_CANCELED" | "ORDER_STATUS_INVALID" | "AUTH_EXPIRED" | "CURRENCY_NOT_SUPPORT" | "MULTI_CAPTURE_NOT_SUPPORTED" | "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT";
      };
      /** Calling it off. */
      readonly cancel?: {
        /** Why it cannot be cancelled now. */
        readonly whyNot?: "PAYMENT_METHOD_NOT_SUPPORTED" | "ORDER_STATUS_INVALID" | "CANCEL_WINDOW_EXCEED" | "PROCESS_FAIL" | "MERCHANT_BALANCE_NOT_ENOUGH";
      };
    };
  };
  /** Sums up payments by hour or day: how many, how much, how many were paid, how quickly, and why not. */
  "charts": {
    request: {
      /** From the hour or day of then on. */
      readonly createdFrom?: string;
      /** Up to the end of the hour or day before which this is. */
      readonly createdUntil?: string;
      /** Only this currency. */
      readonly currency?: string;
      /** Only what is paid so. */
      readonly paymentMethodType?: string;
    };
    response: {
      /** How long each point is. */
      readonly span: "hour" | "day";
      /** When the first point begins. */
      readonly startTime: string;
      /** When the last point ends. */
      readonly endTime: string;
      /** What all of it is about; absent when there was no payment. */
      readonly currency?: string;
      /** The currencies of that time, the most frequent one first. */
      readonly currencies: readonly (string)[];
      /** One for each hour or day, the oldest first. */
      readonly points: readonly ({
        /** When it begins. */
        readonly time: string;
        /** Payments that were taken in. */
        readonly paymentCount: number;
        /** Those of them that were paid. */
        readonly successCount: number;
        /** Those that failed. */
        readonly failCount: number;
        /** Those that were cancelled. */
        readonly cancelCount: number;
        /** What was paid, if anything was. */
        readonly paidAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
      })[];
      /** The most frequent one first. */
      readonly reasons: readonly ({
        /** Why they were not paid. */
        readonly resultCode: string;
        /** How many. */
        readonly paymentCount: number;
      })[];
      /** Of all methods, the most frequent one first. */
      readonly methods: readonly ({
        /** How the buyer pays. */
        readonly paymentMethodType: string;
        /** How many were taken in. */
        readonly paymentCount: number;
        /** How many were paid. */
        readonly successCount: number;
      })[];
      /** How long it took from the call until the payment was paid. */
      readonly pace: {
        /** Payments that were paid. */
        readonly paidCount: number;
        /** How long that took, on average. */
        readonly averageSeconds?: number;
        /** Each includes those before it. */
        readonly within: readonly ({
          /** Up to so many seconds. */
          readonly seconds: number;
          /** How many were paid within that. */
          readonly paymentCount: number;
        })[];
      };
      /** All that happened up to so many seconds ago is taken into account. */
      readonly ageSeconds: number;
    };
  };
  /** Lists refunds, the newest first. */
  "refunds": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only what stands there. */
      readonly refundStatus?: "PROCESSING" | "SUCCESS" | "FAIL";
    };
    response: {
      /** The refunds, the newest first. */
      readonly refunds: readonly ({
        /** Our name for the refund. */
        readonly refundId: string;
        /** Your own name for the refund; it is never used for another one. */
        readonly refundRequestId: string;
        /** Our name for the payment. */
        readonly paymentId: string;
        /** Where the refund stands. */
        readonly refundStatus: "PROCESSING" | "SUCCESS" | "FAIL";
        /** Why it stands there. */
        readonly refundResultCode: string;
        /** How much goes back. */
        readonly refundAmount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Why, in your words. */
        readonly refundReason?: string;
        /** When it was asked for. */
        readonly createdTime: string;
        /** When it was over. */
        readonly refundTime?: string;
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Lists captures, the newest first. */
  "captures": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only what stands there. */
      readonly captureStatus?: "PROCESSING" | "SUCCESS" | "FAIL";
    };
    response: {
      /** The captures, the newest first. */
      readonly captures: readonly ({
        /** Our name for the capture. */
        readonly captureId: string;
        /** Your own name for the capture; it is never used for another one. */
        readonly captureRequestId: string;
        /** Our name for the payment. */
        readonly paymentId: string;
        /** Where the capture stands. */
        readonly captureStatus: "PROCESSING" | "SUCCESS" | "FAIL";
        /** Why it stands there. */
        readonly captureResultCode: string;
        /** How much is taken. */
        readonly captureAmount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Whether nothing more is captured after it. */
        readonly isLastCapture: boolean;
        /** When it was asked for. */
        readonly createdTime: string;
        /** When it was over. */
        readonly captureTime?: string;
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Lists disputes with their deadlines, and what can be done about each, the newest first. */
  "disputes": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only what stands there. */
      readonly disputeStatus?: "CREATED" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "EXPIRED" | "RESOLVED";
      /** All that there are of this payment, on one page. */
      readonly paymentId?: string;
    };
    response: {
      /** The disputes, the newest first. */
      readonly disputes: readonly ({
        /** Our name for the dispute. */
        readonly disputeId: string;
        /** Our name for the payment. */
        readonly paymentId: string;
        /** What kind of dispute it is. */
        readonly disputeType: "CHARGEBACK" | "RETRIEVAL_REQUEST" | "COMPLIANCE_REQUEST" | "RDR";
        /** Where it stands. */
        readonly disputeStatus: "CREATED" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "EXPIRED" | "RESOLVED";
        /** How much is disputed. */
        readonly disputeAmount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** How much of your balance it freezes, if any. */
        readonly frozenAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** How much went back to the buyer, if any. */
        readonly debitedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Why, by the wallet's code. */
        readonly reasonCode: string;
        /** Why, in the wallet's words. */
        readonly reasonMessage: string;
        /** When it began. */
        readonly createdTime: string;
        /** Until when you can answer. */
        readonly defenseDueTime?: string;
        /** How long that is from now on, by the clock of the gateway. */
        readonly secondsToAnswer?: number;
        /** What you have answered, while the wallet has not confirmed it. */
        readonly answerUnderWay?: "ACCEPT" | "DEFEND";
        /** Whether you can give in to it now. */
        readonly canAccept: boolean;
        /** Why you cannot. */
        readonly whyNotAccept?: "PARAM_ILLEGAL" | "REPEAT_REQUEST" | "TIME_EXCEEDS_LIMIT" | "DEFENSE_EXCEED_LIMIT" | "NOT_ALLOW_IN_CURRENT_STATUS";
        /** Whether you can hand in a document now. */
        readonly canDefend: boolean;
        /** Why you cannot. */
        readonly whyNotDefend?: "PARAM_ILLEGAL" | "REPEAT_REQUEST" | "TIME_EXCEEDS_LIMIT" | "DEFENSE_EXCEED_LIMIT" | "NOT_ALLOW_IN_CURRENT_STATUS";
        /** Why it was accepted. */
        readonly acceptReason?: "MERCHANT_ACCEPTED" | "TIMEOUT" | "MANUAL_PROCESSING_ACCEPTED";
        /** How it was decided. */
        readonly judgedResult?: "ACCEPT_BY_CUSTOMER" | "ACCEPT_BY_MERCHANT" | "VALIDATE_SUCCESS" | "VALIDATE_FAIL";
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Lists the disputes that wait for the merchant's answer, the nearest deadline first. */
  "unansweredDisputes": {
    request: {
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** The disputes, the nearest deadline first. */
      readonly disputes: readonly ({
        /** Our name for the dispute. */
        readonly disputeId: string;
        /** Our name for the payment. */
        readonly paymentId: string;
        /** What kind of dispute it is. */
        readonly disputeType: "CHARGEBACK" | "RETRIEVAL_REQUEST" | "COMPLIANCE_REQUEST" | "RDR";
        /** Where it stands. */
        readonly disputeStatus: "CREATED" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "EXPIRED" | "RESOLVED";
        /** How much is disputed. */
        readonly disputeAmount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** How much of your balance it freezes, if any. */
        readonly frozenAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** How much went back to the buyer, if any. */
        readonly debitedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Why, by the wallet's code. */
        readonly reasonCode: string;
        /** Why, in the wallet's words. */
        readonly reasonMessage: string;
        /** When it began. */
        readonly createdTime: string;
        /** Until when you can answer. */
        readonly defenseDueTime?: string;
        /** How long that is from now on, by the clock of the gateway. */
        readonly secondsToAnswer?: number;
        /** What you have answered, while the wallet has not confirmed it. */
        readonly answerUnderWay?: "ACCEPT" | "DEFEND";
        /** Whether you can give in to it now. */
        readonly canAccept: boolean;
        /** Why you cannot. */
        readonly whyNotAccept?: "PARAM_ILLEGAL" | "REPEAT_REQUEST" | "TIME_EXCEEDS_LIMIT" | "DEFENSE_EXCEED_LIMIT" | "NOT_ALLOW_IN_CURRENT_STATUS";
        /** Whether you can hand in a document now. */
        readonly canDefend: boolean;
        /** Why you cannot. */
        readonly whyNotDefend?: "PARAM_ILLEGAL" | "REPEAT_REQUEST" | "TIME_EXCEEDS_LIMIT" | "DEFENSE_EXCEED_LIMIT" | "NOT_ALLOW_IN_CURRENT_STATUS";
        /** Why it was accepted. */
        readonly acceptReason?: "MERCHANT_ACCEPTED" | "TIMEOUT" | "MANUAL_PROCESSING_ACCEPTED";
        /** How it was decided. */
        readonly judgedResult?: "ACCEPT_BY_CUSTOMER" | "ACCEPT_BY_MERCHANT" | "VALIDATE_SUCCESS" | "VALIDATE_FAIL";
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Shows a dispute: its deadline, what can be done about it, what was handed in, and what happened. */
  "dispute": {
    request: {
      /** Our name for the dispute. */
      readonly id: string;
    };
    response: {
      /** The dispute. */
      readonly dispute: {
        /** Our name for the dispute. */
        readonly disputeId: string;
        /** Our name for the payment. */
        readonly paymentId: string;
        /** What kind of dispute it is. */
        readonly disputeType: "CHARGEBACK" | "RETRIEVAL_REQUEST" | "COMPLIANCE_REQUEST" | "RDR";
        /** Where it stands. */
        readonly disputeStatus: "CREATED" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "EXPIRED" | "RESOLVED";
        /** How much is disputed. */
        readonly disputeAmount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** How much of your balance it freezes, if any. */
        readonly frozenAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** How much went back to the buyer, if any. */
        readonly debitedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** Why, by the wallet's code. */
        readonly reasonCode: string;
        /** Why, in the wallet's words. */
        readonly reasonMessage: string;
        /** When it began. */
        readonly createdTime: string;
        /** Until when you can answer. */
        readonly defenseDueTime?: string;
        /** How long that is from now on, by the clock of the gateway. */
        readonly secondsToAnswer?: number;
        /** What you have answered, while the wallet has not confirmed it. */
        readonly answerUnderWay?: "ACCEPT" | "DEFEND";
        /** Whether you can give in to it now. */
        readonly canAccept: boolean;
        /** Why you cannot. */
        readonly whyNotAccept?: "PARAM_ILLEGAL" | "REPEAT_REQUEST" | "TIME_EXCEEDS_LIMIT" | "DEFENSE_EXCEED_LIMIT" | "NOT_ALLOW_IN_CURRENT_STATUS";
        /** Whether you can hand in a document now. */
        readonly canDefend: boolean;
        /** Why you cannot. */
        readonly whyNotDefend?: "PARAM_ILLEGAL" | "REPEAT_REQUEST" | "TIME_EXCEEDS_LIMIT" | "DEFENSE_EXCEED_LIMIT" | "NOT_ALLOW_IN_CURRENT_STATUS";
        /** Why it was accepted. */
        readonly acceptReason?: "MERCHANT_ACCEPTED" | "TIMEOUT" | "MANUAL_PROCESSING_ACCEPTED";
        /** How it was decided. */
        readonly judgedResult?: "ACCEPT_BY_CUSTOMER" | "ACCEPT_BY_MERCHANT" | "VALIDATE_SUCCESS" | "VALIDATE_FAIL";
      };
      /** The bank or scheme that raised it. */
      readonly source?: string;
      /** Why it is defended without you. */
      readonly autoDefendReason?: string;
      /** When the wallet confirmed your last answer. */
      readonly answeredTime?: string;
      /** When it was decided. */
      readonly judgedTime?: string;
      /** How much it was decided about. */
      readonly judgedAmount?: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit. */
        readonly value: string;
      };
      /** Since when it is over. */
      readonly resolvedTime?: string;
      /** How large a document may be. */
      readonly evidenceBytesMax: number;
      /** What you have handed in, the first one first. */
      readonly documents: readonly ({
        /** Which of your answers it is. */
        readonly number: number;
        /** What it is, by its first bytes. */
        readonly format: "PDF" | "WORD" | "ZIP" | "JPG";
        /** How large it is. */
        readonly bytes: number;
        /** Its digest, as `sha256sum` prints it. */
        readonly sha256: string;
        /** When it was handed in. */
        readonly time: string;
      })[];
      /** What happened, the oldest first. */
      readonly history: readonly ({
        /** When it happened. */
        readonly time: string;
        /** Where it stood from then on. */
        readonly disputeStatus: "CREATED" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "EXPIRED" | "RESOLVED";
        /** What your system was told. */
        readonly disputeNotificationType?: "DISPUTE_CREATED" | "DEFENSE_SUPPLIED" | "DEFENSE_DUE_ALERT" | "DISPUTE_ACCEPTED" | "DISPUTE_CANCELLED" | "DISPUTE_JUDGED" | "RDR_RESOLVED";
      })[];
      /** The payment that it is about. */
      readonly payment: {
        /** Our name for the payment. */
        readonly paymentId: string;
        /** Your own name for the payment; it is never used for another one. */
        readonly paymentRequestId: string;
        /** Where the payment stands. */
        readonly paymentStatus: "PROCESSING" | "PENDING" | "SUCCESS" | "FAIL" | "CANCELLED";
        /** What to show to people: the status, and what is left after refunds and disputes. */
        readonly displayStatus: "PROCESSING" | "PENDING" | "AUTHORIZED" | "RELEASED" | "PAID" | "PARTLY_REFUNDED" | "REFUNDED" | "DISPUTED" | "DISPUTE_LOST" | "FAIL" | "CANCELLED";
        /** Your own order number. */
        readonly referenceOrderId?: string;
        /** Why it stands there. */
        readonly paymentResultCode: string;
        /** What kind of payment it is. */
        readonly productCode: "CASHIER_PAYMENT" | "AGREEMENT_PAYMENT" | "IN_STORE_PAYMENT";
        /** How the buyer pays. */
        readonly paymentMethodType?: string;
        /** The wallet that has the order. */
        readonly wallet?: string;
        /** What was sold, in your words. */
        readonly orderDescription?: string;
        /** What was asked for. */
        readonly paymentAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What was really paid. */
        readonly actualPaymentAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What was taken of it, if anything was. */
        readonly capturedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What goes back or went back, if anything does. */
        readonly refundedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What disputes freeze or have taken, if anything. */
        readonly disputedAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What is left of the captured amount after refunds and disputes, before fees; absent if nothing was captured. */
        readonly keptAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit; it can be negative. */
          readonly value: string;
        };
        /** When we took it in. */
        readonly paymentCreateTime: string;
        /** When it was paid. */
        readonly paymentTime?: string;
        /** Until when the buyer can pay. */
        readonly paymentExpiryTime?: string;
        /** Until when held money can be captured. */
        readonly authExpiryTime?: string;
        /** Since when it is to be cancelled. */
        readonly cancelRequestedTime?: string;
        /** When it was cancelled. */
        readonly cancelTime?: string;
      };
    };
  };
  /** Gives a letter to defend with, or the document that was handed in last. */
  "disputeDocument": {
    request: {
      /** Our name for the dispute. */
      readonly id: string;
      /** Which document; the letter unless said otherwise. */
      readonly document?: "LETTER" | "HANDED_IN";
    };
    response: {
      /** The document, in Base64. */
      readonly content: string;
      /** What it is. */
      readonly format: "PDF" | "WORD" | "ZIP" | "JPG";
    };
  };
  /** Lists notifications with every attempt to deliver them, the newest first. */
  "notifications": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only this kind. */
      readonly notificationKind?: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
      /** Only what stands there. */
      readonly notificationStatus?: "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";
      /** Only what tells of this record. */
      readonly subjectId?: string;
    };
    response: {
      /** The notifications, the newest first. */
      readonly notifications: readonly ({
        /** Our name for the notification. */
        readonly notificationId: string;
        /** What it tells. */
        readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
        /** Where it stands. */
        readonly notificationStatus: "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";
        /** The payment, capture, refund or other record that it tells of. */
        readonly subjectId: string;
        /** Which change of its payment it tells. */
        readonly sequence: number;
        /** Where it goes. */
        readonly url?: string;
        /** When it happened. */
        readonly createdTime: string;
        /** When your system acknowledged it. */
        readonly deliveredTime?: string;
        /** When it is sent again. */
        readonly nextAttemptTime?: string;
        /** Every attempt to deliver it, the first one first. */
        readonly attempts: readonly ({
          /** When it was sent. */
          readonly attemptTime: string;
          /** Of our key that signed it. */
          readonly keyVersion: number;
          /** Zero when there was no answer. */
          readonly httpStatus: number;
          /** Why there was none; in the sandbox also why it does not acknowledge. */
          readonly failure?: string;
          /** The beginning of what your system said. */
          readonly answer: string;
          /** Milliseconds until your address was looked up. */
          readonly dnsMs?: number;
          /** Milliseconds until the connection stood. */
          readonly connectMs?: number;
          /** Milliseconds until TLS was agreed. */
          readonly tlsMs?: number;
          /** Milliseconds until the first byte of your answer came. */
          readonly firstByteMs?: number;
          /** Milliseconds until it was over. */
          readonly totalMs?: number;
        })[];
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Shows one notification: the bytes that are sent, and every attempt with its timings and what was answered. */
  "notification": {
    request: {
      /** Our name for the notification. */
      readonly notificationId: string;
    };
    response: {
      /** A notification, and what became of it. */
      readonly notification?: {
        /** Our name for the notification. */
        readonly notificationId: string;
        /** What it tells. */
        readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
        /** Where it stands. */
        readonly notificationStatus: "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";
        /** The payment, capture, refund or other record that it tells of. */
        readonly subjectId: string;
        /** Which change of its payment it tells. */
        readonly sequence: number;
        /** Where it goes. */
        readonly url?: string;
        /** When it happened. */
        readonly createdTime: string;
        /** When your system acknowledged it. */
        readonly deliveredTime?: string;
        /** When it is sent again. */
        readonly nextAttemptTime?: string;
        /** Every attempt to deliver it, the first one first. */
        readonly attempts: readonly ({
          /** When it was sent. */
          readonly attemptTime: string;
          /** Of our key that signed it. */
          readonly keyVersion: number;
          /** Zero when there was no answer. */
          readonly httpStatus: number;
          /** Why there was none; in the sandbox also why it does not acknowledge. */
          readonly failure?: string;
          /** The beginning of what your system said. */
          readonly answer: string;
          /** Milliseconds until your address was looked up. */
          readonly dnsMs?: number;
          /** Milliseconds until the connection stood. */
          readonly connectMs?: number;
          /** Milliseconds until TLS was agreed. */
          readonly tlsMs?: number;
          /** Milliseconds until the first byte of your answer came. */
          readonly firstByteMs?: number;
          /** Milliseconds until it was over. */
          readonly totalMs?: number;
        })[];
      };
      /** The bytes of its body, which every attempt sends. */
      readonly body?: string;
      /** How many they are. */
      readonly bodyBytes?: number;
      /** Their SHA-256. */
      readonly bodySha256?: string;
    };
  };
  /** Shows where the merchant is told, by kind of notification, and what is paused. */
  "endpoints": {
    request: object;
    response: {
      /** The addresses that are set. One in a request beats them. */
      readonly endpoints: readonly ({
        /** Which notifications. */
        readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
        /** Where to, without its query. */
        readonly url: string;
        /** Whether the address has a query that is not shown. */
        readonly isCut: boolean;
      })[];
      /** What waits until somebody lets it go on. */
      readonly paused: readonly (string)[];
    };
  };
  /** Lists the calls of the merchant's systems, refused ones first. */
  "calls": {
    request: {
      /** Only calls from then on; a day ago unless said otherwise. */
      readonly createdFrom?: string;
      /** Only calls before then; now unless said otherwise. */
      readonly createdUntil?: string;
      /** Only calls that were answered with this code. */
      readonly resultCode?: string;
      /** REFUSED_FIRST unless said otherwise. */
      readonly order?: "REFUSED_FIRST" | "NEWEST_FIRST";
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** The calls, in the order that was asked for. */
      readonly calls: readonly ({
        /** Our name for the call; tell it to the provider when you ask about one. */
        readonly requestId: string;
        /** When it came in. */
        readonly createdTime: string;
        /** What was called. */
        readonly path: string;
        /** Of your key that signed it. */
        readonly keyVersion: number;
        /** What it was answered with. */
        readonly resultCode: string;
        /** How long it took us. */
        readonly durationMs: number;
        /** What the code means for the call. */
        readonly resultStatus: "S" | "F" | "U";
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Lists the last calls as they come, in the sandbox; also those whose signature did not hold. */
  "recentCalls": {
    request: object;
    response: {
      /** The calls, the newest first. */
      readonly calls: readonly ({
        /** Our name for the call; tell it to the provider when you ask about one. */
        readonly requestId: string;
        /** When it came in. */
        readonly createdTime: string;
        /** What was called. */
        readonly path: string;
        /** Of your key that signed it. */
        readonly keyVersion: number;
        /** What it was answered with. */
        readonly resultCode: string;
        /** How long it took us. */
        readonly durationMs: number;
        /** What the code means for the call. */
        readonly resultStatus: "S" | "F" | "U";
        /** Whether the signature held. */
        readonly isProven: boolean;
      })[];
    };
  };
  /** Shows one of the last calls: what was signed, what was answered, and what the signature doctor says. */
  "recentCall": {
    request: {
      /** The call. */
      readonly requestId: string;
    };
    response: {
      /** The call; absent when it is not remembered. */
      readonly call?: {
        /** Our name for the call; tell it to the provider when you ask about one. */
        readonly requestId: string;
        /** When it came in. */
        readonly createdTime: string;
        /** What was called. */
        readonly path: string;
        /** Of your key that signed it. */
        readonly keyVersion: number;
        /** What it was answered with. */
        readonly resultCode: string;
        /** How long it took us. */
        readonly durationMs: number;
        /** What the code means for the call. */
        readonly resultStatus: "S" | "F" | "U";
        /** Whether the signature held. */
        readonly isProven: boolean;
        /** The network that it came from. */
        readonly network: string;
        /** What comes before the body in the signed text. */
        readonly signedHead: string;
        /** How long the signed text is. */
        readonly signedBytes: number;
        /** Its SHA-256; not for a body that was no JSON, or held card data. */
        readonly signedSha256?: string;
        /** The body, with secrets struck out; empty if it was no JSON, or held card data. */
        readonly requestBody: string;
        /** The answer, with secrets struck out. */
        readonly answerBody: string;
        /** What the signature doctor found. */
        readonly verdict?: string;
      };
    };
  };
  /** Lists the merchants and stores that were registered with wallets, the newest first. */
  "stores": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** The registrations, the newest first. */
      readonly stores: readonly ({
        /** Our name for the registration. */
        readonly registrationId: string;
        /** Your own name for it. */
        readonly registrationRequestId: string;
        /** The merchant, in your system. */
        readonly referenceMerchantId: string;
        /** The store; absent for the merchant itself. */
        readonly referenceStoreId?: string;
        /** What it is called. */
        readonly storeName?: string;
        /** What kinds of payment it takes. */
        readonly productCodes: readonly (string)[];
        /** Where it stands as a whole. */
        readonly registrationStatus: "PROCESSING" | "COMPLETED" | "REJECTED";
        /** When it was asked for. */
        readonly createdTime: string;
        /** What each wallet has decided. */
        readonly wallets: readonly ({
          /** The wallet. */
          readonly wallet: string;
          /** What it has decided. */
          readonly walletStatus: "PROCESSING" | "APPROVED" | "REJECTED" | "NOT_NEEDED";
          /** Why not. */
          readonly rejectReasons: readonly (string)[];
        })[];
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Shows how the merchant's checkout pages look: colour, logo, and where buyers get help. */
  "brand": {
    request: object;
    response: {
      /** The colour of buttons, such as `#0b6b3e`. White text has to be readable on it. */
      readonly colour?: string;
      /** What kind of picture the logo is, if one is set. */
      readonly logoType?: "image/png" | "image/jpeg" | "image/webp";
      /** A picture in PNG, JPEG or WebP, in base64: at most 24 KiB. It is shown 40 pixels high. */
      readonly logo?: string;
      /** Where the merchant's buyers get help. */
      readonly supportUrl?: string;
    };
  };
  /** Lists buyers' agreements to be charged again, the newest first. */
  "authorizations": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only what stands there. */
      readonly authorizationStatus?: "ASKED" | "AGREED" | "ACTIVE" | "DECLINED" | "REVOKED" | "CANCELED" | "EXPIRED";
    };
    response: {
      /** The agreements, the newest first. */
      readonly authorizations: readonly ({
        /** Our name for the agreement. */
        readonly authorizationId: string;
        /** Your own name for it. */
        readonly authState: string;
        /** Where it stands. */
        readonly authorizationStatus: "ASKED" | "AGREED" | "ACTIVE" | "DECLINED" | "REVOKED" | "CANCELED" | "EXPIRED";
        /** Why it was declined. */
        readonly authorizationResultCode?: string;
        /** How the buyer pays with it. */
        readonly customerBelongsTo: string;
        /** The wallet that has the agreement. */
        readonly wallet: string;
        /** What the buyer agrees to. */
        readonly scopes: readonly (string)[];
        /** The buyer's account, masked by the wallet. */
        readonly userLoginId?: string;
        /** When you asked for it. */
        readonly createdTime: string;
        /** Until when it stands, unless it goes on before. */
        readonly expiryTime: string;
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Shows the merchant's clock, which in the sandbox may be ahead of real time. */
  "clock": {
    request: object;
    response: {
      /** What the merchant's clock shows. */
      readonly time: string;
      /** How far it is ahead of real time. */
      readonly aheadSeconds: number;
    };
  };
  /** Shows the merchant's keys and ours, when each was last used, and which can be revoked safely. */
  "keys": {
    request: {
      /** How far back to count, today included; 7 if not given. */
      readonly days?: number;
    };
    response: {
      /** Your keys. */
      readonly keys: readonly ({
        /** Which key. */
        readonly keyVersion: number;
        /** Whether requests may be signed with it. */
        readonly keyStatus: "LIVE" | "REVOKED";
        /** Since when we have it. */
        readonly createdTime: string;
        /** Since when it is refused. */
        readonly revokedTime?: string;
        /** How many requests it signed. */
        readonly requests: number;
        /** When it last signed something. */
        readonly lastUsedTime?: string;
        /** Whether you will not miss it. */
        readonly isSafeToRevoke: boolean;
        /** Why, or why not. */
        readonly reason: string;
      })[];
      /** Our keys, as far as they sign for you. */
      readonly gatewayKeys: readonly ({
        /** Which key. */
        readonly keyVersion: number;
        /** Since when we have it. */
        readonly createdTime: string;
        /** Whether it signs for you now; see `useGatewayKey`. */
        readonly isPinned: boolean;
        /** How many answers to you it signed. */
        readonly answers: number;
        /** How many attempts to deliver a notification to you it signed. */
        readonly notificationAttempts: number;
        /** When it last signed something for you. */
        readonly lastUsedTime?: string;
        /** Its public half, to verify answers and notifications with: SubjectPublicKeyInfo in PEM. */
        readonly publicKey: string;
      })[];
    };
  };
  /** Shows what we owe the merchant in each currency, and what of it is spoken for. */
  "balance": {
    request: object;
    response: {
      /** One for each currency that you have taken. */
      readonly balances: readonly ({
        /** ISO 4217 code. */
        readonly currency: string;
        /** What we owe you; below zero, what you owe us. */
        readonly owed: string;
        /** What refunds under way will take of it. */
        readonly openRefunds: string;
        /** What new refunds can take of it: owed, less open refunds. */
        readonly available: string;
        /** What is kept back beside it for as long as it is disputed. */
        readonly frozen: string;
        /** What is kept back beside it for a time, by your contract. */
        readonly reserve: string;
        /** What is on its way to your bank, and no part of the rest any more. */
        readonly inTransit: string;
      })[];
    };
  };
  /** Lists what moved the merchant's money, as double entry. */
  "movements": {
    request: {
      /** Only those from then on. */
      readonly createdFrom?: string;
      /** Only those before then. */
      readonly createdUntil?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only this currency. */
      readonly currency?: string;
    };
    response: {
      /** Rows of the ledger, those of the newest record first. */
      readonly movements: readonly ({
        /** The payment, capture, refund or other record that caused it. */
        readonly subjectId: string;
        /** What happened to the record. */
        readonly effect: "payment" | "capture" | "refund" | "cancel" | "late success" | "reversal" | "dispute freeze" | "dispute release" | "dispute debit" | "reserve hold" | "reserve release" | "exchange" | "payout" | "payout paid" | "payout failed" | "payout returned";
        /** The account that is debited. */
        readonly debitAccount: string;
        /** The account that is credited. */
        readonly creditAccount: string;
        /** How much moved from the one to the other. */
        readonly amount: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** What it changes in what we owe you, in the currency's smallest unit; zero if it is nothing of yours. */
        readonly owedChange: string;
        /** When it was posted. */
        readonly time: string;
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Lists what is paid out to the merchant, the newest first. */
  "settlements": {
    request: {
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
      /** Only this currency. */
      readonly currency?: string;
    };
    response: {
      /** The batches, the newest first. */
      readonly settlements: readonly ({
        /** Our name for the batch. */
        readonly batchId: string;
        /** ISO 4217 code. */
        readonly currency: string;
        /** The first day of its movements; days end at midnight UTC+8. */
        readonly fromDay: string;
        /** The last day. */
        readonly toDay: string;
        /** When it is to be paid out. */
        readonly dueDay: string;
        /** Where it stands. */
        readonly status: "DUE" | "CARRIED" | "PAYING" | "PAID";
        /** What buyers paid. */
        readonly gross: string;
        /** What went back to buyers, below zero. */
        readonly refunds: string;
        /** What disputes took, and gave back. */
        readonly disputes: string;
        /** Our fees, below zero. */
        readonly fees: string;
        /** Tax on our fees, below zero. */
        readonly tax: string;
        /** Anything else. */
        readonly other: string;
        /** What was let go of earlier reserves, less what is kept back now. */
        readonly reserve: string;
        /** What earlier batches come to that are part of this one; see CARRIED. */
        readonly carried: string;
        /** What is paid out, or changed and then paid out: the sum of all of these. */
        readonly net: string;
        /** What `net` was changed into, and is paid out; absent when it is paid out as it is. */
        readonly settlementAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** The price: `net` times it, to the nearest smallest unit, from the middle to the even. */
        readonly settlementQuote?: {
          /** Our name for the quote. */
          readonly quoteId: string;
          /** From which currency into which. */
          readonly quoteCurrencyPair: string;
          /** What one of the first was worth in the second, as an exact decimal. */
          readonly quotePrice: string;
        };
        /** The payouts that were tried, the last one at the end; none before the first. */
        readonly payouts: readonly ({
          /** Our name for it, which your bank shows as the end-to-end id. */
          readonly payoutId: string;
          /** How much was paid out, in the currency of `settlementAmount` where the batch has one. */
          readonly amount: string;
          /** Where it stands. */
          readonly status: "CREATED" | "SENT" | "PAID" | "FAILED" | "RETURNED";
          /** Why it could not be paid, in the bank's word (ISO 20022). */
          readonly reasonCode?: string;
          /** When it was made. */
          readonly createdTime: string;
          /** When the bank was told. */
          readonly sentTime?: string;
          /** When the bank said how it ended. */
          readonly finishedTime?: string;
        })[];
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Shows a batch: its sums, its payouts, and the movements that it is made of. */
  "settlement": {
    request: {
      /** Which one: by its own id, or by that of a payout, which your bank shows. */
      readonly batchId: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** A batch: what is paid out together. */
      readonly settlement: {
        /** Our name for the batch. */
        readonly batchId: string;
        /** ISO 4217 code. */
        readonly currency: string;
        /** The first day of its movements; days end at midnight UTC+8. */
        readonly fromDay: string;
        /** The last day. */
        readonly toDay: string;
        /** When it is to be paid out. */
        readonly dueDay: string;
        /** Where it stands. */
        readonly status: "DUE" | "CARRIED" | "PAYING" | "PAID";
        /** What buyers paid. */
        readonly gross: string;
        /** What went back to buyers, below zero. */
        readonly refunds: string;
        /** What disputes took, and gave back. */
        readonly disputes: string;
        /** Our fees, below zero. */
        readonly fees: string;
        /** Tax on our fees, below zero. */
        readonly tax: string;
        /** Anything else. */
        readonly other: string;
        /** What was let go of earlier reserves, less what is kept back now. */
        readonly reserve: string;
        /** What earlier batches come to that are part of this one; see CARRIED. */
        readonly carried: string;
        /** What is paid out, or changed and then paid out: the sum of all of these. */
        readonly net: string;
        /** What `net` was changed into, and is paid out; absent when it is paid out as it is. */
        readonly settlementAmount?: {
          /** ISO 4217 code. */
          readonly currency: string;
          /** A whole number of the currency's smallest unit. */
          readonly value: string;
        };
        /** The price: `net` times it, to the nearest smallest unit, from the middle to the even. */
        readonly settlementQuote?: {
          /** Our name for the quote. */
          readonly quoteId: string;
          /** From which currency into which. */
          readonly quoteCurrencyPair: string;
          /** What one of the first was worth in the second, as an exact decimal. */
          readonly quotePrice: string;
        };
        /** The payouts that were tried, the last one at the end; none before the first. */
        readonly payouts: readonly ({
          /** Our name for it, which your bank shows as the end-to-end id. */
          readonly payoutId: string;
          /** How much was paid out, in the currency of `settlementAmount` where the batch has one. */
          readonly amount: string;
          /** Where it stands. */
          readonly status: "CREATED" | "SENT" | "PAID" | "FAILED" | "RETURNED";
          /** Why it could not be paid, in the bank's word (ISO 20022). */
          readonly reasonCode?: string;
          /** When it was made. */
          readonly createdTime: string;
          /** When the bank was told. */
          readonly sentTime?: string;
          /** When the bank said how it ended. */
          readonly finishedTime?: string;
        })[];
      };
      /** Its movements, by the records that caused them. */
      readonly items: readonly ({
        /** The payment, capture, refund or other record that caused it. */
        readonly subjectId: string;
        /** What happened to the record. */
        readonly effect: "payment" | "capture" | "refund" | "cancel" | "late success" | "reversal" | "dispute freeze" | "dispute release" | "dispute debit" | "reserve hold" | "reserve release" | "exchange" | "payout" | "payout paid" | "payout failed" | "payout returned";
        /** The payment that it is about. */
        readonly paymentId?: string;
        /** What moved, before our fee; below zero when it was taken from you. */
        readonly gross: string;
        /** Our fee on it, below zero. */
        readonly fee: string;
        /** Tax on our fee, below zero. */
        readonly tax: string;
        /** The sum of the three. */
        readonly net: string;
        /** When it was posted. */
        readonly time: string;
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Gives a report as lines of CSV, page by page. */
  "report": {
    request: {
      /** Which report. */
      readonly report: "TRANSACTION_DETAIL" | "SETTLEMENT_DETAIL" | "SETTLEMENT_SUMMARY";
      /** Of transactions: the first day. */
      readonly fromDay?: string;
      /** The last day; only the first unless said otherwise. */
      readonly toDay?: string;
      /** Of a batch: which one. */
      readonly batchId?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many lines; 500 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** How the file is called. */
      readonly file: string;
      /** Its first line. */
      readonly head: string;
      /** Lines of this page. */
      readonly lines: readonly (string)[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Shows a month of what we owe the merchant: opening, every movement, closing. */
  "statement": {
    request: {
      /** Of which currency. */
      readonly currency: string;
      /** Which month of the books. */
      readonly month: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** What we owed before the first line of this page. */
      readonly opening: string;
      /** In the order of their time. */
      readonly lines: readonly ({
        /** The payment, capture, refund or other record that caused it. */
        readonly subjectId: string;
        /** What happened to the record. */
        readonly effect: "payment" | "capture" | "refund" | "cancel" | "late success" | "reversal" | "dispute freeze" | "dispute release" | "dispute debit" | "reserve hold" | "reserve release" | "exchange" | "payout" | "payout paid" | "payout failed" | "payout returned";
        /** What moved, before our fee; below zero when it was taken from you. */
        readonly gross: string;
        /** Our fee on it, below zero; above zero when it was given back. */
        readonly fee: string;
        /** Tax on our fee, likewise. */
        readonly tax: string;
        /** What it changed in what we owe you: the sum of the three. */
        readonly net: string;
        /** When it was posted. */
        readonly time: string;
      })[];
      /** What we owed after the last line of this page. */
      readonly closing: string;
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Gives a month of what we owe the merchant as a file, in parts that follow each other. */
  "statementFile": {
    request: {
      /** Of which currency. */
      readonly currency: string;
      /** Which month of the books. */
      readonly month: string;
      /** As what. */
      readonly format: "CSV" | "PDF";
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
    };
    response: {
      /** How the file is called. */
      readonly file: string;
      /** This part of it, in Base64. */
      readonly content: string;
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
  /** Lists what was done to the merchant by people, the newest first. */
  "audit": {
    request: {
      /** Only what was done from then on. */
      readonly createdFrom?: string;
      /** Only what was done before then. */
      readonly createdUntil?: string;
      /** Only what this person did, by the id; or `provider` for what the provider did. */
      readonly actor?: string;
      /** Only this. */
      readonly act?: string;
      /** For the next page: `nextCursor` of this one. */
      readonly cursor?: string;
      /** At most so many; 50 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** What was done, the newest first. */
      readonly entries: readonly ({
        /** Its number; a later act has a higher one. */
        readonly seq: number;
        /** When, in ISO 8601, by the real clock. */
        readonly at: string;
        /** Who did it, of the merchant's own people; absent when the provider did. */
        readonly person?: {
          /** Whom accounts know by this id. */
          readonly personId: string;
          /** The role in which it was done. */
          readonly role: string;
        };
        /** What was done. */
        readonly act: string;
        /** To what: a payment, a dispute, or the merchant. */
        readonly subject: string;
        /** Why, as the person said. */
        readonly reason?: string;
        /** What has changed, or what was asked for, field by field. */
        readonly changes: readonly ({
          /** The field's name. */
          readonly field: string;
          /** What stood there before. */
          readonly before?: string;
          /** What stands there now. */
          readonly after?: string;
        })[];
      })[];
      /** Where the next page begins; absent on the last one. */
      readonly nextCursor?: string;
    };
  };
}

export interface Acts {
  /** Gives all or part of a payment back to the buyer. */
  "refund": {
    request: {
      /** Your own name for the refund; it is never used for another one. */
      readonly refundRequestId: string;
      /** Our name for the payment. */
      readonly paymentId: string;
      /** How much to give back, in the payment's currency. */
      readonly refundAmount: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit. */
        readonly value: string;
      };
      /** The merchant's own name for the refund. */
      readonly referenceRefundId?: string;
      /** Why, in your own words. */
      readonly refundReason?: string;
      /** Where we report how it ended. */
      readonly refundNotifyUrl?: string;
      /** The merchant's own words; comes back in the notification. */
      readonly metadata?: string;
    };
    response: {
      /** Your own name for the refund; it is never used for another one. */
      readonly refundRequestId: string;
      /** Our name for the refund. */
      readonly refundId: string;
      /** Our name for the payment. */
      readonly paymentId: string;
      /** How much goes back. */
      readonly refundAmount: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit. */
        readonly value: string;
      };
      /** When the wallet gave it back. */
      readonly refundTime?: string;
    };
  };
  /** Makes sure that a payment is not paid, or gives all of it back. */
  "cancel": {
    request: {
      /** Our name for the payment. */
      readonly paymentId?: string;
      /** Your own name for the payment; it is never used for another one. */
      readonly paymentRequestId?: string;
    };
    response: {
      /** Our name for the payment. */
      readonly paymentId: string;
      /** Your own name for the payment; it is never used for another one. */
      readonly paymentRequestId: string;
      /** When the wallet confirmed it. */
      readonly cancelTime?: string;
    };
  };
  /** Takes all or part of the money that a payment holds. */
  "capture": {
    request: {
      /** Your own name for the capture; it is never used for another one. */
      readonly captureRequestId: string;
      /** Our name for the payment. */
      readonly paymentId: string;
      /** How much to take, in the payment's currency. */
      readonly captureAmount: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit. */
        readonly value: string;
      };
      /** Nothing more will be captured after it. */
      readonly isLastCapture?: boolean;
    };
    response: {
      /** Your own name for the capture; it is never used for another one. */
      readonly captureRequestId: string;
      /** Our name for the capture. */
      readonly captureId: string;
      /** Our name for the payment. */
      readonly paymentId: string;
      /** How much is taken. */
      readonly captureAmount: {
        /** ISO 4217 code. */
        readonly currency: string;
        /** A whole number of the currency's smallest unit. */
        readonly value: string;
      };
      /** When the wallet took it. */
      readonly captureTime?: string;
    };
  };
  /** Gives in to a chargeback: the buyer gets the money back. */
  "acceptDispute": {
    request: {
      /** Our name for the dispute. */
      readonly disputeId: string;
    };
    response: {
      /** Our name for the dispute. */
      readonly disputeId: string;
      /** When the wallet confirmed it. */
      readonly disputeResolutionTime?: string;
    };
  };
  /** Defends against a dispute, or hands in the papers that are asked for. */
  "supplyDefenseDocument": {
    request: {
      /** Our name for the dispute. */
      readonly disputeId: string;
      /** One document, in Base64. We keep it, and write its SHA-256 and nothing else into logs. */
      readonly disputeEvidence: string;
    };
    response: {
      /** Our name for the dispute. */
      readonly disputeId: string;
      /** When the wallet confirmed it. */
      readonly disputeResolutionTime?: string;
    };
  };
  /** Sends notifications again: one, those of a payment, those of a window of time, or all from a place in the feed. */
  "resendNotifications": {
    request: {
      /** Our name for the notification. */
      readonly notificationId?: string;
      /** The payment, capture or refund that they speak of. */
      readonly subjectId?: string;
      /** Only this kind. */
      readonly notificationKind?: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
      /** Only what stands there. */
      readonly notificationStatus?: "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";
      /** Only those since then; ISO 8601 with an offset. */
      readonly createdFrom?: string;
      /** Only those until then; ISO 8601 with an offset. */
      readonly createdUntil?: string;
      /** Only those behind this place in the feed. */
      readonly fromCursor?: string;
      /** For the next page: the last `notificationId` of this one. */
      readonly after?: string;
      /** At most so many; 100 unless said otherwise. */
      readonly limit?: number;
    };
    response: {
      /** Those that are sent again. */
      readonly notificationIds: readonly (string)[];
      /** Whether there may be another page. */
      readonly hasMore: boolean;
    };
  };
  /** Sets where you want to be told, and stops and starts the delivery to an address. */
  "changeEndpoints": {
    request: {
      /** Addresses to set, by kind of notification. */
      readonly notifyUrls?: readonly ({
        /** Which notifications. */
        readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
        /** Where to. */
        readonly url: string;
      })[];
      /** Kinds whose address is to be forgotten. */
      readonly removeNotifyUrls?: readonly ("notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount")[];
      /** Addresses to which nothing is to be sent for now. */
      readonly pause?: readonly (string)[];
      /** Addresses to which is to be sent again. */
      readonly resume?: readonly (string)[];
    };
    response: {
      /** The addresses that are set, by kind of notification. */
      readonly notifyUrls: readonly ({
        /** Which notifications. */
        readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
        /** Where to. */
        readonly url: string;
      })[];
      /** Addresses to which nothing is sent for now. */
      readonly paused: readonly (string)[];
    };
  };
  /** Sets how your checkout pages look: colour, logo, and where buyers get help. */
  "changeBrand": {
    request: {
      /** The colour of buttons, such as `#0b6b3e`. White text has to be readable on it. */
      readonly colour?: string;
      /** A picture in PNG, JPEG or WebP, in base64: at most 24 KiB. It is shown 40 pixels high. */
      readonly logo?: string;
      /** Where your buyers get help. */
      readonly supportUrl?: string;
      /** What is to be as it was at first. */
      readonly remove?: readonly ("COLOUR" | "LOGO" | "SUPPORT_URL")[];
    };
    response: {
      /** The colour of buttons, such as `#0b6b3e`. White text has to be readable on it. */
      readonly colour?: string;
      /** What kind of picture the logo is, if one is set. */
      readonly logoType?: "image/png" | "image/jpeg" | "image/webp";
      /** Where your buyers get help. */
      readonly supportUrl?: string;
    };
  };
  /** Moves your clock in the sandbox, and shows what happened on the way, in order. */
  "advanceClock": {
    request: {
      /** Your own name for this turn; it is never used for another one. */
      readonly turnRequestId: string;
      /** What your clock is to show; ISO 8601 with an offset. */
      readonly toTime?: string;
      /** From now on your clock. */
      readonly bySeconds?: number;
    };
    response: {
      /** Your own name for this turn; it is never used for another one. */
      readonly turnRequestId: string;
      /** What your clock showed. */
      readonly fromTime: string;
      /** What it shows now. */
      readonly toTime: string;
      /** What became due on the way, in order. */
      readonly fired: readonly ({
        /** When, on your clock. */
        readonly time: string;
        /** The record with which it was done. */
        readonly id: string;
        /** What was done. */
        readonly action: string;
      })[];
    };
  };
  /** Makes something go wrong with notifications in the sandbox, so that you see how your system takes it. */
  "orderFault": {
    request: {
      /** Your own name for this order. */
      readonly faultRequestId: string;
      /** What goes wrong. */
      readonly fault: "DUPLICATE" | "REORDER" | "DELAY" | "DROP" | "CORRUPT_SIGNATURE" | "STALE";
      /** Only with what is told of this payment, refund or other record. */
      readonly subjectId?: string;
      /** An address; its path does not matter. */
      readonly endpoint?: string;
      /** How often; once if not said. */
      readonly count?: number;
      /** For a delay, on your clock; 5 if not said. */
      readonly delaySeconds?: number;
    };
    response: {
      /** Your own name for this order. */
      readonly faultRequestId: string;
      /** What goes wrong. */
      readonly fault: "DUPLICATE" | "REORDER" | "DELAY" | "DROP" | "CORRUPT_SIGNATURE" | "STALE";
      /** How often. */
      readonly count: number;
    };
  };
  /** Sends a notification of a kind to the merchant's system, in the sandbox, about a record that does not exist. */
  "sendTestNotification": {
    request: {
      /** What it tells. */
      readonly notificationKind: "notifyPayment" | "notifyAuthorization" | "notifyRefund" | "notifyCapture" | "notifyDispute" | "notifyRegistrationStatus" | "notifyPayout" | "notifyBankAccount";
      /** Where to; the address that is set for the kind unless said otherwise. */
      readonly url?: string;
    };
    response: {
      /** Our name for the notification. */
      readonly notificationId: string;
    };
  };
  /** Opens the client whose id accounts has given to the person's organisation, with its first key. */
  "openClient": {
    request: {
      /** The name that buyers see. */
      readonly name: string;
      /** RSA of 2048 to 4096 bits: SubjectPublicKeyInfo as PEM, or its base64. */
      readonly publicKey: string;
      /** The signature that proves it. */
      readonly proof: string;
    };
    response: {
      /** The id that the client calls with. */
      readonly clientId: string;
      /** The name that buyers see. */
      readonly name: string;
      /** The version to sign with. */
      readonly keyVersion: number;
      /** The version of our key that signs answers. */
      readonly gatewayKeyVersion: number;
      /** Our key, to verify answers and notifications with: SubjectPublicKeyInfo in PEM. */
      readonly gatewayPublicKey: string;
    };
  };
  /** Registers another key of the merchant's, beside those that it has. */
  "addKey": {
    request: {
      /** RSA of 2048 to 4096 bits: SubjectPublicKeyInfo as PEM, or its base64. */
      readonly publicKey: string;
      /** The signature that proves it. */
      readonly proof: string;
    };
    response: {
      /** The version to sign with. */
      readonly keyVersion: number;
    };
  };
  /** Revokes a key of the merchant's, for ever. */
  "revokeKey": {
    request: {
      /** Which key. */
      readonly keyVersion: number;
    };
    response: {
      /** Which key. */
      readonly keyVersion: number;
      /** Since when it is refused. */
      readonly revokedTime: string;
      /** How many keys are left to sign with. */
      readonly liveKeys: number;
    };
  };
}

export const resultSentences = {
  ORIGIN_NOT_ALLOWED: "Pages of this origin may not send requests here.",
  TOKEN_INVALID: "The token is not accepted.",
  TOKEN_USED: "This token has been used for an act before.",
  RIGHT_MISSING: "Your role does not have this right here.",
  STEP_UP_REQUIRED: "Prove that it is you, and try again.",
  NOT_POSSIBLE: "This cannot be done.",
  SECOND_PERSON_NEEDED: "This needs a second person here.",
  VIEW_TOO_SLOW: "It took too long to find.",
  REQUEST_TRAFFIC_EXCEED_LIMIT: "Too many requests.",
  NO_INTERFACE_DEF: "There is no such operation.",
  METHOD_NOT_SUPPORTED: "Operations are called with POST.",
  MEDIA_TYPE_NOT_ACCEPTABLE: "The body has to be JSON in UTF-8, not compressed.",
  UNKNOWN_CLIENT: "There is no such client id here.",
  PARAM_ILLEGAL: "A header or a field is missing or malformed.",
  UNKNOWN_EXCEPTION: "The outcome is not known yet.",
  ORDER_NOT_EXIST: "There is no such payment.",
} as const;

export const rightOfAct = {
  "refund": {"right":"payments.refund"},
  "cancel": {"right":"payments.cancel"},
  "capture": {"right":"payments.capture"},
  "acceptDispute": {"right":"disputes.accept"},
  "supplyDefenseDocument": {"right":"disputes.answer"},
  "resendNotifications": {"right":"notifications.resend"},
  "changeEndpoints": {"right":"endpoints.change"},
  "changeBrand": {"right":"brand.change"},
  "advanceClock": {"right":"sandbox.steer"},
  "orderFault": {"right":"sandbox.steer"},
  "sendTestNotification": {"right":"sandbox.steer"},
  "openClient": {"right":"clients.open"},
  "addKey": {"right":"keys.change"},
  "revokeKey": {"right":"keys.change"},
} as const;
