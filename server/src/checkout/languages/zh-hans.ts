import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const zhHans: Texts = {
  // Frame of every page
  sandbox: "沙盒环境：不涉及真实资金",
  language: "语言",
  defaultMerchantName: "商家",
  defaultMethodName: "您的钱包",
  connectionLost: "无法连接，我们会继续尝试。",

  // Summary of the payment
  summaryLabel: "付款内容",
  goods: "您的订单",
  moreGoods: { other: "另有 {count} 件商品" },
  shipping: "运费",
  orderNumber: "订单号",
  reference: "参考编号",
  paidAt: "支付时间",
  paidWith: "支付方式",
  copy: "复制",
  copied: "已复制",
  print: "打印收据",
  help: "联系 {merchant} 获取帮助",

  // Choosing
  choosing: "请选择支付方式",
  chooseBy: "请在 {time} 前选择",
  methodsLabel: "支付方式",
  noMethodAvailable: "目前没有可用的支付方式。本页面会自动继续尝试。",
  notAvailable: "暂不可用",
  search: "搜索",
  noSearchResult: "没有该名称的支付方式",
  otherRegions: "其他国家和地区",

  // Paying
  preparing: "正在准备您的付款",
  preparingText: "请稍候片刻。",
  payWith: "使用 {wallet} 支付",
  payWithHere: "在此设备上使用 {wallet} 支付",
  payBy: "请在 {time} 前支付",
  scan: "请打开 {wallet}，点击“扫一扫”，将摄像头对准此二维码。",
  otherDevice: "使用其他设备支付",
  or: "或",
  qrCodeLabel: "此笔付款的二维码",
  openApp: "请打开 {wallet}，此笔付款正等待您处理。",
  minutesLeft: { other: "剩余 {count} 分钟" },
  deadlinePassed: "支付时间已过。",

  // Waiting for the payment provider
  change: "换一种方式付款",
  changing: "正在撤回您的选择",
  changingText: "我们正在请 {wallet} 关闭这笔付款。请暂时不要在那里付款。",
  closing: "正在核实您的付款",
  closingCancelled: "{merchant} 正在取消此笔付款。",
  closingText: "我们正在向 {wallet} 查询您是否已付款。请暂时不要支付。",
  pending: "正在确认您的付款",
  pendingText: "您的操作已完成，无需再次支付。",

  // Final states
  paid: "已支付",
  paidText: "您向 {merchant} 的付款已完成。",
  authorized: "金额已预留",
  authorizedText: "该金额已为 {merchant} 预留，稍后扣款。",
  refunded: "{amount} 已于 {date} 退还给您。",
  refundPending: "{amount} 正在退还给您。",
  failed: "未支付",
  notCharged: "您未被扣款。",
  expired: "支付时间已过",
  expiredText: "未在规定时间内收到付款。",
  cancelled: "已取消",
  cancelledText: "此笔付款已被 {merchant} 取消。",
  refundFollows: "您支付的款项将退回您的钱包。",
  startAgain: "如需使用其他方式支付，请返回 {merchant} 重新开始。",
  back: "返回 {merchant}",
  backWithoutPaying: "不支付，返回 {merchant}",
  returning: { other: "{count} 秒后返回" },
  stayOnPage: "留在此页",

  // Reasons of a failure
  refused: "此笔付款未被接受。",
  balanceTooLow: "您的余额不足。",
  overLimit: "金额超出您钱包的限额。",
  tooOften: "您的支付次数已达到钱包目前允许的上限。",
  accountUnknown: "该钱包找不到您的账户。",
  accountUnusable: "您的钱包账户目前无法使用。",
  accountUnverified: "您的账户需先通过钱包的验证。",
  providerUnsureOfYou: "您的钱包未能确认是您本人操作。",
  bankUnsureOfYou: "您的银行未能确认是您本人操作。",
  currencyNotTaken: "您的钱包不支持此币种。",
  cardNotTaken: "您的银行卡无法在此使用。",
  cardNumberWrong: "您的银行卡号不正确。",
  cardExpiryWrong: "您的银行卡有效期不正确。",
  bankRefused: "您的银行未接受此笔付款。",

  // Errors
  missing: "找不到此笔付款",
  missingText: "此链接不完整或已被更改。请返回商家重新开始。",
  fault: "请稍候",
  faultText: "目前无法显示此笔付款。如果您已付款，请勿再次支付：本页面会自动继续尝试。",
};
