/**
 * The texts for buyers. English is the source of the translations: every language has the same names, checked by the
 * compiler, and the same placeholders in braces, checked by a test. Plural forms are chosen by `count`, by the rules of
 * Unicode.
 */
export const en = {
  // Frame of every page
  sandbox: "Sandbox: no real money moves",
  language: "Language",
  defaultMerchantName: "the shop",
  defaultMethodName: "your wallet",
  connectionLost: "No connection. We keep trying.",

  // Summary of the payment
  summaryLabel: "What is paid",
  goods: "Your order",
  moreGoods: { one: "and {count} more item", other: "and {count} more items" },
  shipping: "Shipping",
  orderNumber: "Order",
  reference: "Reference",
  paidAt: "Paid",
  paidWith: "Paid with",
  copy: "Copy",
  copied: "Copied",
  print: "Print receipt",
  help: "Get help from {merchant}",

  // Choosing
  choosing: "Choose how to pay",
  chooseBy: "Choose by {time}",
  methodsLabel: "Ways to pay",
  noMethodAvailable: "No way to pay can be used right now. This page keeps trying by itself.",
  notAvailable: "Not available right now",
  search: "Search",
  noSearchResult: "Nothing of this name",
  otherRegions: "Other countries and regions",

  // Paying
  preparing: "Getting your payment ready",
  preparingText: "This takes a moment.",
  payWith: "Pay with {wallet}",
  payWithHere: "Pay with {wallet} on this device",
  payBy: "Pay by {time}",
  scan: "Open {wallet}, tap Scan, and point the camera at this code.",
  otherDevice: "Pay with another device",
  or: "or",
  qrCodeLabel: "QR code of this payment",
  openApp: "Open {wallet}: the payment waits for you there.",
  codeExpired: "This code has expired. The next one follows in a moment.",
  openWallet: "Open {wallet}",
  payOnWebsite: "Pay on the website of {wallet}",
  frameLabel: "Payment form of {wallet}",
  showResult: "Show the result",
  confirm: "Confirm your payment",
  confirmText: "{wallet} asks you to confirm, for example in your bank’s app. This page continues by itself.",
  minutesLeft: { one: "{count} minute left", other: "{count} minutes left" },
  deadlinePassed: "The time to pay is over.",

  // Waiting for the payment provider
  change: "Pay in another way",
  changing: "Taking your choice back",
  changingText: "We are asking {wallet} to close this payment. Please do not pay there now.",
  closing: "Checking your payment",
  closingCancelled: "This payment is being cancelled by {merchant}.",
  closingText: "We are asking {wallet} whether you have paid. Please do not pay now.",
  pending: "Your payment is being confirmed",
  pendingText: "You have done your part. There is no need to pay again.",

  // Final states
  paid: "Paid",
  paidText: "Your payment to {merchant} is complete.",
  authorized: "Reserved",
  authorizedText: "The amount is reserved for {merchant}, and taken later.",
  refunded: "{amount} was given back to you on {date}.",
  refundPending: "{amount} is being given back to you.",
  failed: "Not paid",
  notCharged: "You have not been charged.",
  expired: "The time is over",
  expiredText: "No payment came in time.",
  cancelled: "Cancelled",
  cancelledText: "This payment was cancelled by {merchant}.",
  refundFollows: "Your money is being returned to your wallet.",
  startAgain: "To pay in another way, go back to {merchant} and start again.",
  back: "Back to {merchant}",
  backWithoutPaying: "Back to {merchant} without paying",
  returning: { one: "You go back in {count} second", other: "You go back in {count} seconds" },
  stayOnPage: "Stay here",

  // Reasons of a failure
  refused: "The payment was not accepted.",
  balanceTooLow: "Your balance is too low.",
  overLimit: "The amount is over your wallet’s limit.",
  tooOften: "You have paid as often as your wallet allows for now.",
  accountUnknown: "The wallet does not know your account.",
  accountUnusable: "Your wallet account cannot be used right now.",
  accountUnverified: "Your wallet has to verify your account first.",
  providerUnsureOfYou: "Your wallet could not make sure that it was you.",
  bankUnsureOfYou: "Your bank could not make sure that it was you.",
  currencyNotTaken: "Your wallet does not take this currency.",
  cardNotTaken: "Your card cannot be used here.",
  cardNumberWrong: "Your card’s number is not right.",
  cardExpiryWrong: "Your card’s expiry date is not right.",
  bankRefused: "Your bank did not accept the payment.",

  // Errors
  missing: "There is no such payment",
  missingText: "This link is not complete, or it was changed. Go back to the shop and start again.",
  fault: "One moment, please",
  faultText:
    "We cannot show this payment right now. If you have paid, do not pay again: this page keeps trying by itself.",
};
