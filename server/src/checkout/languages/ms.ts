import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const ms: Texts = {
  // Frame of every page
  sandbox: "Sandbox: tiada wang sebenar terlibat",
  language: "Bahasa",
  defaultMerchantName: "kedai",
  defaultMethodName: "e-dompet anda",
  connectionLost: "Tiada sambungan. Kami terus mencuba.",

  // Summary of the payment
  summaryLabel: "Butiran pembayaran",
  goods: "Pesanan anda",
  moreGoods: { other: "dan {count} item lagi" },
  shipping: "Penghantaran",
  orderNumber: "Nombor pesanan",
  reference: "Nombor rujukan",
  paidAt: "Masa pembayaran",
  paidWith: "Dibayar dengan",
  copy: "Salin",
  copied: "Disalin",
  print: "Cetak resit",
  help: "Dapatkan bantuan daripada {merchant}",

  // Choosing
  choosing: "Pilih cara pembayaran",
  chooseBy: "Pilih sebelum {time}",
  methodsLabel: "Kaedah pembayaran",
  noMethodAvailable:
    "Tiada kaedah pembayaran yang boleh digunakan sekarang. Halaman ini terus mencuba secara automatik.",
  notAvailable: "Tidak tersedia sekarang",
  search: "Cari",
  noSearchResult: "Tiada hasil dengan nama ini",
  otherRegions: "Negara dan wilayah lain",

  // Paying
  preparing: "Pembayaran anda sedang disediakan",
  preparingText: "Ini mengambil masa sebentar sahaja.",
  payWith: "Bayar dengan {wallet}",
  payWithHere: "Bayar dengan {wallet} pada peranti ini",
  payBy: "Bayar sebelum {time}",
  scan: "Buka {wallet}, ketik “Imbas” dan halakan kamera ke kod ini.",
  otherDevice: "Bayar dengan peranti lain",
  or: "atau",
  qrCodeLabel: "Kod QR untuk pembayaran ini",
  openApp: "Buka {wallet}: pembayaran sedang menunggu anda di sana.",
  codeExpired: "Kod ini sudah tamat tempoh. Kod seterusnya akan muncul sebentar lagi.",
  openWallet: "Buka {wallet}",
  payOnWebsite: "Bayar di laman web {wallet}",
  frameLabel: "Borang pembayaran {wallet}",
  showResult: "Tunjukkan keputusan",
  confirm: "Sahkan pembayaran anda",
  confirmText:
    "{wallet} meminta pengesahan anda, contohnya dalam aplikasi bank anda. Halaman ini akan diteruskan dengan sendirinya.",
  minutesLeft: { other: "{count} minit lagi" },
  deadlinePassed: "Masa untuk membayar sudah tamat.",

  // Waiting for the payment provider
  change: "Bayar dengan cara lain",
  changing: "Membatalkan pilihan anda",
  changingText: "Kami sedang meminta {wallet} menutup bayaran ini. Sila jangan bayar di sana sekarang.",
  closing: "Pembayaran anda sedang disemak",
  closingCancelled: "Pembayaran ini sedang dibatalkan oleh {merchant}.",
  closingText:
    "Kami sedang menyemak dengan {wallet} sama ada anda sudah membayar. Mohon jangan bayar sekarang.",
  pending: "Pembayaran anda sedang disahkan",
  pendingText: "Urusan di pihak anda sudah selesai. Anda tidak perlu membayar lagi.",

  // Final states
  paid: "Sudah dibayar",
  paidText: "Pembayaran anda kepada {merchant} telah selesai.",
  authorized: "Amaun ditahan",
  authorizedText: "Amaun ini ditahan untuk {merchant} dan akan dipotong kemudian.",
  refunded: "{amount} telah dikembalikan kepada anda pada {date}.",
  refundPending: "{amount} sedang dikembalikan kepada anda.",
  failed: "Pembayaran tidak berjaya",
  notCharged: "Wang anda tidak dipotong.",
  expired: "Masa sudah tamat",
  expiredText: "Tiada pembayaran diterima dalam masa yang ditetapkan.",
  cancelled: "Dibatalkan",
  cancelledText: "Pembayaran ini telah dibatalkan oleh {merchant}.",
  refundFollows: "Wang yang anda bayar akan dikembalikan ke e-dompet anda.",
  startAgain: "Untuk membayar dengan cara lain, sila kembali ke {merchant} dan mulakan semula.",
  back: "Kembali ke {merchant}",
  backWithoutPaying: "Kembali ke {merchant} tanpa membayar",
  returning: { other: "Anda akan kembali dalam {count} saat" },
  stayOnPage: "Kekal di sini",

  // Reasons of a failure
  refused: "Pembayaran tidak diterima.",
  balanceTooLow: "Baki anda tidak mencukupi.",
  overLimit: "Amaun ini melebihi had e-dompet anda.",
  tooOften: "Buat masa ini, anda telah mencapai had bilangan pembayaran yang dibenarkan oleh e-dompet anda.",
  accountUnknown: "Akaun anda tidak dijumpai dalam e-dompet tersebut.",
  accountUnusable: "Akaun e-dompet anda tidak boleh digunakan sekarang.",
  accountUnverified: "Akaun anda perlu disahkan oleh e-dompet anda terlebih dahulu.",
  providerUnsureOfYou: "E-dompet anda tidak dapat mengesahkan identiti anda.",
  bankUnsureOfYou: "Bank anda tidak dapat mengesahkan identiti anda.",
  currencyNotTaken: "E-dompet anda tidak menerima mata wang ini.",
  cardNotTaken: "Kad anda tidak boleh digunakan di sini.",
  cardNumberWrong: "Nombor kad anda tidak betul.",
  cardExpiryWrong: "Tarikh luput kad anda tidak betul.",
  bankRefused: "Bank anda tidak menerima pembayaran ini.",

  // Errors
  missing: "Pembayaran ini tidak wujud",
  missingText: "Pautan ini tidak lengkap atau telah diubah. Sila kembali ke kedai dan mulakan semula.",
  fault: "Sila tunggu sebentar",
  faultText:
    "Kami tidak dapat memaparkan pembayaran ini sekarang. " +
    "Jika anda sudah membayar, jangan bayar lagi: halaman ini terus mencuba secara automatik.",
};
