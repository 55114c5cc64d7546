/** A text of one module, and the text that replaces it: `seed-bug.ts` applies it. */
export interface SeededBug {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

interface SeededProviderBug extends SeededBug {
  /** Exactly the required cases that the bug breaks. */
  readonly brokenCases: readonly string[];
  /** The wait for messages in seconds, short if a missing message would otherwise cost the full waiting time. */
  readonly patience?: string;
}

/** Seeded bugs of the provider by name. */
export const brokenProviders: Readonly<Record<string, SeededProviderBug>> = {
  "it verifies no signature": {
    file: "sandbox/src/protocol.ts",
    find: 'if (!signature || !keys.isFromGateway(message, signature)) return { code: "INVALID_SIGNATURE" };',
    put: "",
    brokenCases: ["refuses-unsigned", "refuses-other-key", "refuses-other-body", "refuses-other-path"],
  },
  "it forgets a cancel that arrives before the submit": {
    file: "sandbox/src/verbs/cancel.ts",
    find: 'wallet.record({ kind: "tombstone", reference, because: "cancel" });',
    put: "void 0;",
    brokenCases: ["cancel-before-submit"],
  },
  "it accepts one reference for two orders": {
    file: "sandbox/src/verbs/submit.ts",
    find: "if (!order || !sameOrder(order, terms)) {",
    put: "if (!order) {",
    brokenCases: ["amount", "currency", "paymentid", "capture", "paymentmethodtype"].map(
      (field) => `submit-other-${field}`,
    ),
  },
  "it refunds more than was paid": {
    file: "sandbox/src/verbs/refund.ts",
    find: 'return BigInt(amount.value) > leftMinor ? "REFUND_AMOUNT_EXCEED" : undefined;',
    put: "return undefined;",
    brokenCases: ["refund-too-much", "refund-too-much-at-once"],
  },
  "it reports captures with another amount": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "    amount,\n    ...(doneTime",
    put: '    amount: kind === "capture" && state === "DONE" && record.sequence === 1 ? { ...amount, value: "1" } : amount,\n    ...(doneTime',
    brokenCases: ["capture-report-request"],
  },
  "it reports captures in another currency": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "    amount,\n    ...(doneTime",
    put: '    amount: kind === "capture" && state === "DONE" && record.sequence === 1 ? { ...amount, currency: "XTS" } : amount,\n    ...(doneTime',
    brokenCases: ["capture-report-request"],
  },
  "it reports captures in an unknown state": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "    state,\n    amount,",
    put: '    state: kind === "capture" && state === "DONE" && record.sequence === 1 ? "ACCEPTED" : state,\n    amount,',
    brokenCases: ["capture-report-time"],
  },
  "it reports captures without a time": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "...(doneTime &&",
    put: '...(doneTime && !(kind === "capture" && state === "DONE" && record.sequence === 1) &&',
    brokenCases: ["capture-report-time"],
  },
  "it reports refunds without an amount and without a time": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "    amount,\n    ...(doneTime",
    put: '    amount: kind === "refund" && record.sequence === 1 ? undefined : amount,\n    ...(!(kind === "refund" && record.sequence === 1) && doneTime',
    brokenCases: ["refund-report-request", "refund-report-time", "refund-in-progress", "refund-returned"],
  },
  "it reports refunds with the order's amount": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "    amount,\n    ...(doneTime",
    put: '    amount: kind === "refund" && record.sequence === 1 ? { ...amount, value: "1250" } : amount,\n    ...(doneTime',
    brokenCases: ["refund-report-request"],
  },
  "it calls back once": {
    file: "sandbox/src/callbacks.ts",
    find: "      pendingCallbacks.set(callback.eventId, callback);\n      schedule(callback);",
    put: "",
    brokenCases: [
      "callback-repeated-http-500",
      "callback-repeated-unsigned",
      "callback-repeated-u",
      "capture-callback-repeated",
      "refund-callback-repeated",
    ],
    patience: "1",
  },
  "its inquiries lag behind": {
    file: "sandbox/src/verbs/inquire.ts",
    find: 'if (isHidden(wallet, "submit", reference))',
    put: 'if (wallet.projection.order(reference)?.state === "OPEN")',
    brokenCases: [
      "inquire",
      "submit-other-amount",
      "submit-other-currency",
      "submit-other-paymentid",
      "submit-other-capture",
      "submit-other-paymentmethodtype",
      "expiry",
    ],
  },
  "it serves every version of the protocol": {
    file: "sandbox/src/protocol.ts",
    find: "return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;",
    put: 'return path.replace(/^\\/provider\\/[^/]+\\//, "");',
    brokenCases: ["other-version"],
  },
  "it captures another amount than it has accepted": {
    file: "sandbox/src/wallet/end-operation.ts",
    find: '    kind: "captured",\n    ...named,\n',
    put: '    kind: "captured",\n    ...named,\n    ...(wallet.projection.moneyRecordById(providerMoneyId) && { amount: { ...amount, value: "1" } }),\n',
    brokenCases: ["capture-in-progress", "capture-callback", "hold-lapsed-in-progress"],
  },
  "its captures stay in progress": {
    file: "sandbox/src/verbs/inquire-capture.ts",
    find: "return moneyAnswer(record);",
    put: 'return moneyAnswer(record.state === "DONE" && record.sequence > 1 ? { ...record, state: "PROCESSING" } : record);',
    brokenCases: ["capture-in-progress", "hold-lapsed-in-progress"],
    patience: "3",
  },
  "its inquiries forget failed captures": {
    file: "sandbox/src/verbs/inquire-capture.ts",
    find: "if (!record ||",
    put: 'if (!record || record.state === "FAILED" ||',
    brokenCases: ["capture-in-progress-failed"],
  },
  "it reports failed captures without a reason": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "...(resultCode &&",
    put: '...(resultCode && kind !== "capture" &&',
    brokenCases: ["capture-in-progress-failed"],
  },
  "a failed capture keeps its part of the hold": {
    file: "sandbox/src/wallet/order.ts",
    find: "- claimedMinor(captures) - releasedMinor;",
    put: "- claimedMinor(captures) - captures.FAILED - releasedMinor;",
    brokenCases: ["capture-in-progress-failed"],
  },
  "its callbacks name another capture": {
    file: "sandbox/src/callbacks.ts",
    find: "moneyOnTheWire({ ...money, amount })",
    put: 'moneyOnTheWire({ ...money, amount, ...(money.kind === "capture" && { moneyReference: money.providerMoneyId }) })',
    brokenCases: ["capture-callback"],
  },
  "its callbacks about captures report another amount": {
    file: "sandbox/src/callbacks.ts",
    find: "const amount = isWrong ? oneMore(money.amount)",
    put: 'const amount = isWrong || money.kind === "capture" ? oneMore(money.amount)',
    brokenCases: ["capture-callback"],
  },
  "its callback before the response names another capture": {
    file: "sandbox/src/callbacks.ts",
    find: "return order && money && money.sequence > 1 ? { eventId, order, money, attempts: 0 } : undefined;",
    put: 'if (order && money?.state === "PROCESSING" && money.kind === "capture") return { eventId, order, money: { ...money, moneyReference: eventId }, attempts: 0 };\nreturn order && money && money.sequence > 1 ? { eventId, order, money, attempts: 0 } : undefined;',
    brokenCases: ["capture-callback", "capture-callback-repeated"],
    patience: "3",
  },
  "it sends no callback about a capture": {
    file: "sandbox/src/callbacks.ts",
    find: "money.sequence > 1 ?",
    put: 'money.sequence > 1 && money.kind === "refund" ?',
    brokenCases: ["capture-callback", "capture-callback-repeated"],
    patience: "3",
  },
  "it sends a callback about a refund once": {
    file: "sandbox/src/callbacks.ts",
    find: "if (problem !== undefined && pendingCallbacks.has(callback.eventId)) {",
    put: 'if (problem !== undefined && pendingCallbacks.has(callback.eventId) && !("order" in callback && callback.money?.kind === "refund")) {',
    brokenCases: ["refund-callback-repeated"],
    patience: "3",
  },
  "it reports a refund in progress for another order": {
    file: "sandbox/src/wallet/money-record.ts",
    find: "  return {\n    reference,",
    put: '  return {\n    reference: kind === "refund" && state === "PROCESSING" ? providerMoneyId : reference,',
    brokenCases: ["refund-in-progress"],
  },
  "a failed refund still counts as refunded": {
    file: "sandbox/src/verbs/refund.ts",
    find: "takenMinor - claimedMinor(order.refunds)",
    put: "takenMinor - order.refunds.FAILED - claimedMinor(order.refunds)",
    brokenCases: ["refund-in-progress-failed", "refund-returned"],
  },
  "its refunds can not fail after they were done": {
    file: "sandbox/src/control/operation-control.ts",
    find: '(state === "DONE" && kind === "refund" && failsWith !== undefined)',
    put: '(state === "DONE" && kind !== "capture" && kind !== "refund" && failsWith !== undefined)',
    brokenCases: ["refund-returned"],
  },
  "it reports an order as closed while its cancel is in progress": {
    file: "sandbox/src/wallet/order.ts",
    find: "    state: order.state,",
    put: '    state: order.cancel?.state === "PROCESSING" ? "CLOSED" : order.state,',
    brokenCases: ["cancel-in-progress"],
  },
  "its failed cancel closes the order": {
    file: "sandbox/src/wallet/end-operation.ts",
    find: "if (failure === undefined) changeState",
    put: "if (failure !== undefined || resultCode === undefined) changeState",
    brokenCases: ["cancel-in-progress-failed"],
    patience: "3",
  },
  "its failed cancel can not be tried again": {
    file: "sandbox/src/verbs/cancel.ts",
    find: 'if (order.cancel?.state === "PROCESSING") {',
    put: "if (order.cancel) {",
    brokenCases: ["cancel-in-progress-failed"],
  },
  "it captures a lapsed hold": {
    file: "sandbox/src/verbs/capture.ts",
    find: 'if (order.state !== "AUTHORIZED" || !order.paidAmount)',
    put: 'if (order.state === "LAPSED") return undefined;\n    if (order.state !== "AUTHORIZED" || !order.paidAmount)',
    brokenCases: ["hold-lapsed"],
  },
  "it closes the order of a returned payment instead of opening a dispute": {
    file: "sandbox/src/control/dispute-control.ts",
    find: "  const { currency } = order.paidAmount ?? order.amount;",
    put: '  if (order) {\n    const { reference, providerOrderId, amount, sequence } = order;\n    wallet.record({ kind: "closed", by: "control", reference, paymentId, providerOrderId, amount, sequence: sequence + 1 });\n    return ok({});\n  }\n  const { currency } = order.paidAmount ?? order.amount;',
    brokenCases: ["payment-returned"],
    patience: "3",
  },
  "its returned payment is a dispute that waits for an answer": {
    file: "sandbox/src/wallet/dispute-projection.ts",
    find: 'judgedResult ? "JUDGED" : "OPEN"',
    put: '"OPEN"',
    brokenCases: ["payment-returned"],
  },
  "it rejects a submit with many articles": {
    file: "sandbox/src/wallet/order-data.ts",
    find: "    isObject(value) &&\n",
    put: "    isObject(value) &&\n    JSON.stringify(value).length < 8_192 &&\n",
    brokenCases: ["submit-data"],
  },
  "it requires the buyer's email address": {
    file: "sandbox/src/wallet/order-data.ts",
    find: "isDataGroup(group) && isObject(fields)",
    put: 'isDataGroup(group) && isObject(fields) && (group !== "buyer" || "buyerEmail" in fields)',
    brokenCases: ["submit-data-partial"],
  },
  "it compares the data of a repeated submit": {
    file: "sandbox/src/wallet/order.ts",
    find: "    a.amount.value === b.amount.value\n",
    put: "    a.amount.value === b.amount.value &&\n    a.dataGroups?.join() === b.dataGroups?.join()\n",
    brokenCases: ["submit-data-changed"],
  },
  "its details have a value date with a time": {
    file: "sandbox/src/wallet/card-details.ts",
    find: "valueDate: dayOf(",
    put: "valueDate: paidTime + dayOf(",
    brokenCases: ["details-paid"],
  },
  "its details have the issuer's code as a number": {
    file: "sandbox/src/wallet/card-details.ts",
    find: 'issuerResultCode: issuerCodes[resultCode] ?? "05",',
    put: "issuerResultCode: 5,",
    brokenCases: ["details-declined"],
  },
  "its details contain the whole card number": {
    file: "sandbox/src/wallet/card-details.ts",
    find: "order.hasCardNumber ? 0 : -4",
    put: "0",
    brokenCases: ["details-card-number"],
  },
  "its details contain a card number in another field": {
    file: "sandbox/src/wallet/card-details.ts",
    find: "networkTransactionId: networkTransactionId(providerOrderId, paidTime),",
    put: 'networkTransactionId: "4111-1111-1111-1111",',
    brokenCases: ["details-card-number"],
  },
  "its callbacks have no details": {
    file: "sandbox/src/callbacks.ts",
    find: "orderOnTheWire(isWrong ? withWrongAmount(order) : order, pageUrl)",
    put: "{ ...orderOnTheWire(isWrong ? withWrongAmount(order) : order, pageUrl), details: undefined }",
    brokenCases: ["details-same"],
  },
  "it takes only one document of a defense": {
    file: "sandbox/src/verbs/answer-dispute.ts",
    find: "const documentsMax = 10;",
    put: "const documentsMax = 1;",
    brokenCases: ["dispute-defended"],
  },
  "it does not verify the digests of documents": {
    file: "sandbox/src/verbs/answer-dispute.ts",
    find: "if (digest !== sha256(bytes))",
    put: 'if (typeof digest !== "string")',
    brokenCases: ["dispute-evidence-damaged"],
  },
  "it wants evidence of an unknown type": {
    file: "sandbox/src/wallet/dispute.ts",
    find: "...(wantedEvidence && { wantedEvidence }),",
    put: '...(wantedEvidence && { wantedEvidence: ["INVOICE"] }),',
    brokenCases: ["dispute-wanted-evidence"],
  },
  "its fraud warnings wait for an answer": {
    file: "sandbox/src/wallet/dispute-projection.ts",
    find: '!takesAnswer(disputeType) ? "RESOLVED"',
    put: 'disputeType === "RDR" ? "RESOLVED"',
    brokenCases: ["fraud-warning"],
  },
  "its fraud warnings take money": {
    file: "sandbox/src/wallet/change-dispute.ts",
    find: 'holdsMoney(disputeType) ? least(BigInt(amount.value), leftMinor) : 0n;\n  const isDecided = disputeType === "RDR"',
    put: 'holdsMoney(disputeType) || disputeType === "FRAUD_WARNING" ? least(BigInt(amount.value), leftMinor) : 0n;\n  const isDecided = disputeType === "RDR" || disputeType === "FRAUD_WARNING"',
    brokenCases: ["fraud-warning"],
  },
  "its settlement file has no fees": {
    file: "sandbox/src/wallet/settlement-file.ts",
    find: "feeCurrency,feeMinor,payoutId",
    put: "fee,payoutId",
    brokenCases: ["settlement-file"],
  },
  "its facts name an unknown type of evidence": {
    file: "sandbox/src/verbs/facts.ts",
    find: "  evidenceTypes,",
    put: '  evidenceTypes: ["INVOICE"],',
    brokenCases: ["facts"],
  },
  "it has a next action of an unknown type": {
    file: "sandbox/src/wallet/next-action.ts",
    find: 'return { type: "WAIT", ...lifetime };',
    put: 'return { type: "HOLD_THE_LINE", ...lifetime };',
    brokenCases: ["action-wait"],
  },
  "it opens no app": {
    file: "sandbox/src/wallet/next-action.ts",
    find: 'return { type: "APP", appUrl:',
    put: 'return { type: "APP", openUrl:',
    brokenCases: ["action-app"],
  },
  "its page has no address": {
    file: "sandbox/src/wallet/next-action.ts",
    find: 'case "action-redirect":\n      return { type: "REDIRECT", url };',
    put: 'case "action-redirect":\n      return { type: "REDIRECT", url: url.slice(url.indexOf("/pay/")) };',
    brokenCases: ["action-redirect"],
  },
  "its client data is too long": {
    file: "sandbox/src/wallet/next-action.ts",
    find: "clientData: `sandbox_client_data_${token}`",
    put: 'clientData: "x".repeat(4097)',
    brokenCases: ["action-in-page", "action-frame"],
  },
  "its page in a frame forbids frames": {
    file: "sandbox/src/wallet/next-action.ts",
    find: 'return chosenAction?.kind === "action-in-page" ? new URL(callbackUrl).origin : undefined;',
    put: "void chosenAction;\n  void callbackUrl;\n  return undefined;",
    brokenCases: ["action-frame"],
  },
  "its inquiries report another code": {
    file: "sandbox/src/verbs/inquire.ts",
    find: "if (order) return orderAnswer(wallet, renewExpiredCode(wallet, order));",
    put: 'if (order) return orderAnswer({ ...wallet, pageUrl: (each) => wallet.pageUrl(each) + (each.state === "OPEN" ? "?again" : "") }, renewExpiredCode(wallet, order));',
    brokenCases: ["action-repeated"],
  },
  "its codes stay expired": {
    file: "sandbox/src/verbs/inquire.ts",
    find: "renewExpiredCode(wallet, order)",
    put: "order",
    brokenCases: ["action-renewed"],
  },
  "it renews a code without a higher sequence": {
    file: "sandbox/src/wallet/order.ts",
    find: "    sequence: order.sequence,\n",
    put: '    sequence: order.chosenAction?.kind === "action-code" && order.state === "OPEN" ? 1 : order.sequence,\n',
    brokenCases: ["action-renewed"],
  },
  "a paid order still has a next action": {
    file: "sandbox/src/wallet/order.ts",
    find: 'order.state === "OPEN" && {\n      nextAction',
    put: '(order.state === "OPEN" || (order.state === "PAID" && order.chosenAction?.kind === "action-redirect")) && {\n      nextAction',
    brokenCases: ["action-redirect"],
  },
  "its facts have a wrong field": {
    file: "sandbox/src/verbs/facts.ts",
    find: 'refunds: "MANY",',
    put: 'refunds: "SOMETIMES",',
    brokenCases: ["facts"],
  },
  "it refunds, although it states that it does not": {
    file: "sandbox/src/verbs/facts.ts",
    find: 'refunds: "MANY",',
    put: 'refunds: "NONE",',
    brokenCases: ["facts-refunds"],
  },
};
