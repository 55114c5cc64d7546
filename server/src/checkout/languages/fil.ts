import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const fil: Texts = {
  // Frame of every page
  sandbox: "Sandbox: walang totoong perang gagalaw",
  language: "Wika",
  defaultMerchantName: "tindahan",
  defaultMethodName: "inyong e-wallet",
  connectionLost: "Walang koneksyon. Patuloy kaming sumusubok.",

  // Summary of the payment
  summaryLabel: "Ang binabayaran",
  goods: "Ang inyong order",
  moreGoods: { one: "at {count} pang item", other: "at {count} pang item" },
  shipping: "Shipping",
  orderNumber: "Order no.",
  reference: "Reference no.",
  paidAt: "Binayaran noong",
  paidWith: "Binayaran gamit ang",
  copy: "Kopyahin",
  copied: "Nakopya na",
  print: "I-print ang resibo",
  help: "Humingi ng tulong sa {merchant}",

  // Choosing
  choosing: "Pumili ng paraan ng pagbabayad",
  chooseBy: "Pumili bago ang {time}",
  methodsLabel: "Mga paraan ng pagbabayad",
  noMethodAvailable:
    "Walang magagamit na paraan ng pagbabayad sa ngayon. Kusang susubok muli ang page na ito.",
  notAvailable: "Hindi available sa ngayon",
  search: "Maghanap",
  noSearchResult: "Walang nahanap na ganitong pangalan",
  otherRegions: "Iba pang bansa at rehiyon",

  // Paying
  preparing: "Inihahanda ang inyong pagbabayad",
  preparingText: "Sandali lang ito.",
  payWith: "Magbayad gamit ang {wallet}",
  payWithHere: "Magbayad gamit ang {wallet} sa device na ito",
  payBy: "Magbayad bago ang {time}",
  scan: "Buksan ang {wallet}, i-tap ang “Scan,” at itapat ang camera sa code na ito.",
  otherDevice: "Magbayad gamit ang ibang device",
  or: "o",
  qrCodeLabel: "QR code ng pagbabayad na ito",
  openApp: "Buksan ang {wallet}: naghihintay roon ang inyong babayaran.",
  codeExpired: "Lumipas na ang code na ito. Darating na ang susunod.",
  openWallet: "Buksan ang {wallet}",
  payOnWebsite: "Magbayad sa website ng {wallet}",
  frameLabel: "Form ng pagbabayad ng {wallet}",
  showResult: "Ipakita ang resulta",
  confirm: "Kumpirmahin ang inyong bayad",
  confirmText:
    "Hinihiling ng {wallet} ang inyong kumpirmasyon, halimbawa sa app ng inyong bangko. Kusang magpapatuloy ang pahinang ito.",
  minutesLeft: { one: "{count} minuto ang natitira", other: "{count} minuto ang natitira" },
  deadlinePassed: "Tapos na ang oras ng pagbabayad.",

  // Waiting for the payment provider
  change: "Magbayad sa ibang paraan",
  changing: "Binabawi ang iyong pinili",
  changingText: "Hinihiling namin sa {wallet} na isara ang bayad na ito. Huwag munang magbayad doon ngayon.",
  closing: "Tinitingnan ang inyong bayad",
  closingCancelled: "Kinakansela ng {merchant} ang pagbabayad na ito.",
  closingText: "Tinatanong namin sa {wallet} kung nakapagbayad na kayo. Huwag po munang magbayad ngayon.",
  pending: "Kinukumpirma ang inyong bayad",
  pendingText: "Tapos na ang kailangan ninyong gawin. Hindi na kailangang magbayad muli.",

  // Final states
  paid: "Bayad na",
  paidText: "Kumpleto na ang inyong bayad sa {merchant}.",
  authorized: "Naka-reserve",
  authorizedText: "Naka-reserve ang halaga para sa {merchant}, at sa ibang pagkakataon pa ito kukunin.",
  refunded: "Ibinalik sa inyo ang {amount} noong {date}.",
  refundPending: "Ibinabalik na sa inyo ang {amount}.",
  failed: "Hindi nabayaran",
  notCharged: "Hindi kayo nasingil.",
  expired: "Tapos na ang oras",
  expiredText: "Walang dumating na bayad sa takdang oras.",
  cancelled: "Kinansela",
  cancelledText: "Kinansela ng {merchant} ang pagbabayad na ito.",
  refundFollows: "Ibabalik sa inyong e-wallet ang ibinayad ninyo.",
  startAgain: "Para magbayad sa ibang paraan, bumalik sa {merchant} at magsimula muli.",
  back: "Bumalik sa {merchant}",
  backWithoutPaying: "Bumalik sa {merchant} nang hindi nagbabayad",
  returning: {
    one: "Babalik kayo pagkalipas ng {count} segundo",
    other: "Babalik kayo pagkalipas ng {count} segundo",
  },
  stayOnPage: "Manatili rito",

  // Reasons of a failure
  refused: "Hindi tinanggap ang bayad.",
  balanceTooLow: "Kulang ang inyong balanse.",
  overLimit: "Lampas ang halaga sa limit ng inyong e-wallet.",
  tooOften: "Naabot na ninyo ang dami ng pagbabayad na pinapayagan ng inyong e-wallet sa ngayon.",
  accountUnknown: "Hindi makita ng e-wallet ang inyong account.",
  accountUnusable: "Hindi magagamit ang inyong e-wallet account sa ngayon.",
  accountUnverified: "Kailangan munang i-verify ng inyong e-wallet ang inyong account.",
  providerUnsureOfYou: "Hindi natiyak ng inyong e-wallet na kayo nga iyon.",
  bankUnsureOfYou: "Hindi natiyak ng inyong bangko na kayo nga iyon.",
  currencyNotTaken: "Hindi tumatanggap ng currency na ito ang inyong e-wallet.",
  cardNotTaken: "Hindi magagamit dito ang inyong card.",
  cardNumberWrong: "Hindi tama ang numero ng inyong card.",
  cardExpiryWrong: "Hindi tama ang expiry date ng inyong card.",
  bankRefused: "Hindi tinanggap ng inyong bangko ang bayad.",

  // Errors
  missing: "Walang ganitong pagbabayad",
  missingText: "Kulang o nabago ang link na ito. Bumalik sa tindahan at magsimula muli.",
  fault: "Sandali lang po",
  faultText:
    "Hindi namin maipakita ang pagbabayad na ito sa ngayon. " +
    "Kung nakapagbayad na kayo, huwag nang magbayad muli: kusang susubok muli ang page na ito.",
};
