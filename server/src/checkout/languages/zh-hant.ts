import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const zhHant: Texts = {
  // Frame of every page
  sandbox: "沙盒環境：不涉及真實款項",
  language: "語言",
  defaultMerchantName: "商店",
  defaultMethodName: "您的電子錢包",
  connectionLost: "無法連線，我們會繼續嘗試。",

  // Summary of the payment
  summaryLabel: "付款內容",
  goods: "您的訂單",
  moreGoods: { other: "另有 {count} 件商品" },
  shipping: "運費",
  orderNumber: "訂單編號",
  reference: "參考編號",
  paidAt: "付款時間",
  paidWith: "付款方式",
  copy: "複製",
  copied: "已複製",
  print: "列印收據",
  help: "聯絡 {merchant} 尋求協助",

  // Choosing
  choosing: "請選擇付款方式",
  chooseBy: "請於 {time} 前選擇",
  methodsLabel: "付款方式",
  noMethodAvailable: "目前沒有可用的付款方式。本頁面會自動繼續嘗試。",
  notAvailable: "暫時無法使用",
  search: "搜尋",
  noSearchResult: "沒有此名稱的付款方式",
  otherRegions: "其他國家和地區",

  // Paying
  preparing: "正在準備您的付款",
  preparingText: "請稍候片刻。",
  payWith: "使用 {wallet} 付款",
  payWithHere: "在此裝置上使用 {wallet} 付款",
  payBy: "請於 {time} 前付款",
  scan: "請開啟 {wallet}，點選「掃描」，並將鏡頭對準此 QR Code。",
  otherDevice: "使用其他裝置付款",
  or: "或",
  qrCodeLabel: "此筆付款的 QR Code",
  openApp: "請開啟 {wallet}，此筆付款正等待您處理。",
  minutesLeft: { other: "剩餘 {count} 分鐘" },
  deadlinePassed: "付款時間已過。",

  // Waiting for the payment provider
  change: "換一種方式付款",
  changing: "正在撤回您的選擇",
  changingText: "我們正在請 {wallet} 關閉這筆付款。請暫時不要在那裡付款。",
  closing: "正在查核您的付款",
  closingCancelled: "{merchant} 正在取消此筆付款。",
  closingText: "我們正在向 {wallet} 查詢您是否已付款。請暫時不要付款。",
  pending: "正在確認您的付款",
  pendingText: "您的操作已完成，無須再次付款。",

  // Final states
  paid: "已付款",
  paidText: "您向 {merchant} 的付款已完成。",
  authorized: "金額已預留",
  authorizedText: "此金額已為 {merchant} 預留，稍後扣款。",
  refunded: "{amount} 已於 {date} 退還給您。",
  refundPending: "{amount} 正在退還給您。",
  failed: "未付款",
  notCharged: "您未被扣款。",
  expired: "付款時間已過",
  expiredText: "未在限定時間內收到付款。",
  cancelled: "已取消",
  cancelledText: "此筆付款已由 {merchant} 取消。",
  refundFollows: "您支付的款項將退回您的電子錢包。",
  startAgain: "如要使用其他方式付款，請返回 {merchant} 重新開始。",
  back: "返回 {merchant}",
  backWithoutPaying: "不付款，返回 {merchant}",
  returning: { other: "{count} 秒後返回" },
  stayOnPage: "留在此頁",

  // Reasons of a failure
  refused: "此筆付款未獲接受。",
  balanceTooLow: "您的餘額不足。",
  overLimit: "金額超出您電子錢包的限額。",
  tooOften: "您的付款次數已達電子錢包目前允許的上限。",
  accountUnknown: "此電子錢包找不到您的帳戶。",
  accountUnusable: "您的電子錢包帳戶目前無法使用。",
  accountUnverified: "您的帳戶須先通過電子錢包的驗證。",
  providerUnsureOfYou: "您的電子錢包未能確認是您本人操作。",
  bankUnsureOfYou: "您的銀行未能確認是您本人操作。",
  currencyNotTaken: "您的電子錢包不支援此貨幣。",
  cardNotTaken: "您的卡片無法在此使用。",
  cardNumberWrong: "您的卡號不正確。",
  cardExpiryWrong: "您的卡片到期日不正確。",
  bankRefused: "您的銀行未接受此筆付款。",

  // Errors
  missing: "找不到此筆付款",
  missingText: "此連結不完整或已被更改。請返回商店重新開始。",
  fault: "請稍候",
  faultText: "目前無法顯示此筆付款。如果您已付款，請勿再次付款：本頁面會自動繼續嘗試。",
};
