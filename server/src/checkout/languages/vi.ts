import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const vi: Texts = {
  // Frame of every page
  sandbox: "Sandbox: không có giao dịch tiền thật",
  language: "Ngôn ngữ",
  defaultMerchantName: "cửa hàng",
  defaultMethodName: "ví của quý khách",
  connectionLost: "Không có kết nối. Chúng tôi vẫn đang thử lại.",

  // Summary of the payment
  summaryLabel: "Nội dung thanh toán",
  goods: "Đơn hàng của quý khách",
  moreGoods: { other: "và {count} sản phẩm khác" },
  shipping: "Vận chuyển",
  orderNumber: "Mã đơn hàng",
  reference: "Mã tham chiếu",
  paidAt: "Thời gian thanh toán",
  paidWith: "Thanh toán bằng",
  copy: "Sao chép",
  copied: "Đã sao chép",
  print: "In biên lai",
  help: "Liên hệ {merchant} để được hỗ trợ",

  // Choosing
  choosing: "Chọn cách thanh toán",
  chooseBy: "Vui lòng chọn trước {time}",
  methodsLabel: "Phương thức thanh toán",
  noMethodAvailable:
    "Hiện không có phương thức thanh toán nào dùng được. Trang này sẽ tự động tiếp tục thử lại.",
  notAvailable: "Hiện không khả dụng",
  search: "Tìm kiếm",
  noSearchResult: "Không tìm thấy tên này",
  otherRegions: "Quốc gia và khu vực khác",

  // Paying
  preparing: "Đang chuẩn bị khoản thanh toán",
  preparingText: "Việc này chỉ mất giây lát.",
  payWith: "Thanh toán bằng {wallet}",
  payWithHere: "Thanh toán bằng {wallet} trên thiết bị này",
  payBy: "Vui lòng thanh toán trước {time}",
  scan: "Mở {wallet}, chọn “Quét mã” rồi hướng camera vào mã này.",
  otherDevice: "Thanh toán bằng thiết bị khác",
  or: "hoặc",
  qrCodeLabel: "Mã QR của khoản thanh toán này",
  openApp: "Mở {wallet}: khoản thanh toán đang chờ quý khách ở đó.",
  codeExpired: "Mã này đã hết hạn. Mã mới sẽ hiện ngay.",
  openWallet: "Mở {wallet}",
  payOnWebsite: "Thanh toán trên trang web của {wallet}",
  frameLabel: "Biểu mẫu thanh toán của {wallet}",
  showResult: "Xem kết quả",
  confirm: "Xác nhận khoản thanh toán",
  confirmText:
    "{wallet} cần quý khách xác nhận, ví dụ trong ứng dụng ngân hàng. Trang này sẽ tự động tiếp tục.",
  minutesLeft: { other: "Còn {count} phút" },
  deadlinePassed: "Đã hết thời gian thanh toán.",

  // Waiting for the payment provider
  change: "Thanh toán bằng cách khác",
  changing: "Đang hủy lựa chọn của bạn",
  changingText:
    "Chúng tôi đang yêu cầu {wallet} đóng khoản thanh toán này. Vui lòng không thanh toán tại đó lúc này.",
  closing: "Đang kiểm tra khoản thanh toán",
  closingCancelled: "Khoản thanh toán này đang được {merchant} hủy.",
  closingText:
    "Chúng tôi đang hỏi {wallet} xem quý khách đã thanh toán hay chưa. Vui lòng không thanh toán lúc này.",
  pending: "Khoản thanh toán đang được xác nhận",
  pendingText: "Quý khách đã hoàn tất phần của mình. Không cần thanh toán lại.",

  // Final states
  paid: "Đã thanh toán",
  paidText: "Khoản thanh toán cho {merchant} đã hoàn tất.",
  authorized: "Đã tạm giữ",
  authorizedText: "Số tiền được tạm giữ cho {merchant} và sẽ được thu sau.",
  refunded: "Đã hoàn {amount} cho quý khách vào ngày {date}.",
  refundPending: "Đang hoàn {amount} cho quý khách.",
  failed: "Thanh toán không thành công",
  notCharged: "Quý khách không bị trừ tiền.",
  expired: "Đã hết thời gian",
  expiredText: "Không nhận được khoản thanh toán nào trong thời hạn.",
  cancelled: "Đã hủy",
  cancelledText: "Khoản thanh toán này đã được {merchant} hủy.",
  refundFollows: "Số tiền quý khách đã thanh toán sẽ được hoàn về ví.",
  startAgain: "Để thanh toán bằng cách khác, vui lòng quay lại {merchant} và bắt đầu lại.",
  back: "Quay lại {merchant}",
  backWithoutPaying: "Quay lại {merchant} mà không thanh toán",
  returning: { other: "Quý khách sẽ quay lại sau {count} giây" },
  stayOnPage: "Ở lại trang này",

  // Reasons of a failure
  refused: "Khoản thanh toán không được chấp nhận.",
  balanceTooLow: "Số dư của quý khách không đủ.",
  overLimit: "Số tiền vượt quá hạn mức của ví.",
  tooOften: "Quý khách đã đạt số lần thanh toán tối đa mà ví cho phép vào lúc này.",
  accountUnknown: "Ví không tìm thấy tài khoản của quý khách.",
  accountUnusable: "Tài khoản ví của quý khách hiện không dùng được.",
  accountUnverified: "Ví cần xác minh tài khoản của quý khách trước.",
  providerUnsureOfYou: "Ví không xác thực được danh tính của quý khách.",
  bankUnsureOfYou: "Ngân hàng không xác thực được danh tính của quý khách.",
  currencyNotTaken: "Ví của quý khách không hỗ trợ loại tiền tệ này.",
  cardNotTaken: "Thẻ của quý khách không dùng được ở đây.",
  cardNumberWrong: "Số thẻ không đúng.",
  cardExpiryWrong: "Ngày hết hạn của thẻ không đúng.",
  bankRefused: "Ngân hàng của quý khách không chấp nhận khoản thanh toán.",

  // Errors
  missing: "Không có khoản thanh toán này",
  missingText: "Liên kết này không đầy đủ hoặc đã bị thay đổi. Vui lòng quay lại cửa hàng và bắt đầu lại.",
  fault: "Vui lòng đợi giây lát",
  faultText:
    "Hiện chúng tôi không thể hiển thị khoản thanh toán này. " +
    "Nếu đã thanh toán, vui lòng không thanh toán lại: trang này sẽ tự động tiếp tục thử lại.",
};
