import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const ko: Texts = {
  // Frame of every page
  sandbox: "샌드박스: 실제 돈은 오가지 않습니다",
  language: "언어",
  defaultMerchantName: "상점",
  defaultMethodName: "전자지갑",
  connectionLost: "연결되지 않았습니다. 계속 다시 시도하고 있습니다.",

  // Summary of the payment
  summaryLabel: "결제 내용",
  goods: "주문 내역",
  moreGoods: { other: "외 상품 {count}개" },
  shipping: "배송비",
  orderNumber: "주문 번호",
  reference: "참조 번호",
  paidAt: "결제 일시",
  paidWith: "결제 수단",
  copy: "복사",
  copied: "복사됨",
  print: "영수증 인쇄",
  help: "{merchant}에 문의하기",

  // Choosing
  choosing: "결제 수단을 선택해 주세요",
  chooseBy: "{time}까지 선택해 주세요",
  methodsLabel: "결제 수단",
  noMethodAvailable: "지금 이용할 수 있는 결제 수단이 없습니다. 이 페이지에서 자동으로 계속 다시 시도합니다.",
  notAvailable: "지금은 이용할 수 없습니다",
  search: "검색",
  noSearchResult: "해당 이름의 결제 수단이 없습니다",
  otherRegions: "다른 국가 및 지역",

  // Paying
  preparing: "결제를 준비하고 있습니다",
  preparingText: "잠시만 기다려 주세요.",
  payWith: "{wallet}(으)로 결제하기",
  payWithHere: "이 기기에서 {wallet}(으)로 결제하기",
  payBy: "{time}까지 결제해 주세요",
  scan: "{wallet} 앱을 열고 ‘스캔’을 누른 다음, 카메라로 이 코드를 비춰 주세요.",
  otherDevice: "다른 기기로 결제하기",
  or: "또는",
  qrCodeLabel: "이 결제의 QR 코드",
  openApp: "{wallet} 앱을 열어 주세요. 결제 요청이 기다리고 있습니다.",
  codeExpired: "이 코드는 만료되었습니다. 곧 새 코드가 표시됩니다.",
  openWallet: "{wallet} 열기",
  payOnWebsite: "{wallet} 웹사이트에서 결제하기",
  frameLabel: "{wallet} 결제 양식",
  showResult: "결과 보기",
  confirm: "결제를 확인해 주세요",
  confirmText: "{wallet}에서 고객님의 확인을 요청합니다(예: 은행 앱). 이 페이지는 자동으로 진행됩니다.",
  minutesLeft: { other: "{count}분 남음" },
  deadlinePassed: "결제 시간이 지났습니다.",

  // Waiting for the payment provider
  change: "다른 방법으로 결제",
  changing: "선택을 취소하는 중입니다",
  changingText: "{wallet}에 이 결제를 닫아 달라고 요청하고 있습니다. 지금은 그곳에서 결제하지 마세요.",
  closing: "결제 여부를 조회하고 있습니다",
  closingCancelled: "{merchant}에서 이 결제를 취소하고 있습니다.",
  closingText: "결제하셨는지 {wallet}에 조회하고 있습니다. 지금은 결제하지 마세요.",
  pending: "결제를 확인하고 있습니다",
  pendingText: "고객님이 하실 일은 끝났습니다. 다시 결제하실 필요가 없습니다.",

  // Final states
  paid: "결제 완료",
  paidText: "{merchant} 결제가 완료되었습니다.",
  authorized: "가승인 완료",
  authorizedText: "{merchant} 결제 금액이 가승인되었으며, 실제 청구는 나중에 이루어집니다.",
  refunded: "{date}에 {amount} 환불이 완료되었습니다.",
  refundPending: "{amount} 환불이 진행 중입니다.",
  failed: "결제되지 않았습니다",
  notCharged: "금액이 청구되지 않았습니다.",
  expired: "결제 시간 만료",
  expiredText: "시간 안에 결제가 이루어지지 않았습니다.",
  cancelled: "결제 취소됨",
  cancelledText: "{merchant}에서 이 결제를 취소했습니다.",
  refundFollows: "결제하신 금액은 전자지갑으로 환불됩니다.",
  startAgain: "다른 방법으로 결제하시려면 {merchant} 페이지로 돌아가 다시 시작해 주세요.",
  back: "{merchant} 페이지로 돌아가기",
  backWithoutPaying: "결제하지 않고 {merchant} 페이지로 돌아가기",
  returning: { other: "{count}초 후 돌아갑니다" },
  stayOnPage: "이 페이지에 머무르기",

  // Reasons of a failure
  refused: "결제가 승인되지 않았습니다.",
  balanceTooLow: "잔액이 부족합니다.",
  overLimit: "전자지갑의 한도를 초과한 금액입니다.",
  tooOften: "현재 전자지갑에서 허용하는 결제 횟수를 모두 사용하셨습니다.",
  accountUnknown: "전자지갑에서 고객님의 계정을 찾을 수 없습니다.",
  accountUnusable: "지금은 고객님의 전자지갑 계정을 사용할 수 없습니다.",
  accountUnverified: "먼저 전자지갑의 계정 인증이 필요합니다.",
  providerUnsureOfYou: "전자지갑에서 고객님 본인인지 확인하지 못했습니다.",
  bankUnsureOfYou: "은행에서 고객님 본인인지 확인하지 못했습니다.",
  currencyNotTaken: "전자지갑에서 이 통화를 지원하지 않습니다.",
  cardNotTaken: "고객님의 카드는 여기에서 사용할 수 없습니다.",
  cardNumberWrong: "카드 번호가 올바르지 않습니다.",
  cardExpiryWrong: "카드 유효기간이 올바르지 않습니다.",
  bankRefused: "은행에서 결제를 승인하지 않았습니다.",

  // Errors
  missing: "해당 결제가 없습니다",
  missingText: "링크가 완전하지 않거나 변경되었습니다. 상점으로 돌아가 다시 시작해 주세요.",
  fault: "잠시만 기다려 주세요",
  faultText:
    "지금은 이 결제를 표시할 수 없습니다. 이미 결제하셨다면 다시 결제하지 마세요. 이 페이지에서 자동으로 계속 다시 시도합니다.",
};
