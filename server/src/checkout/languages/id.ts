import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const id: Texts = {
  // Frame of every page
  sandbox: "Sandbox: tidak ada uang sungguhan yang berpindah",
  language: "Bahasa",
  defaultMerchantName: "toko",
  defaultMethodName: "dompet digital Anda",
  connectionLost: "Tidak ada koneksi. Kami terus mencoba.",

  // Summary of the payment
  summaryLabel: "Rincian pembayaran",
  goods: "Pesanan Anda",
  moreGoods: { other: "dan {count} barang lainnya" },
  shipping: "Pengiriman",
  orderNumber: "Nomor pesanan",
  reference: "Nomor referensi",
  paidAt: "Waktu pembayaran",
  paidWith: "Dibayar dengan",
  copy: "Salin",
  copied: "Disalin",
  print: "Cetak bukti pembayaran",
  help: "Minta bantuan dari {merchant}",

  // Choosing
  choosing: "Pilih cara pembayaran",
  chooseBy: "Pilih sebelum {time}",
  methodsLabel: "Metode pembayaran",
  noMethodAvailable:
    "Saat ini tidak ada metode pembayaran yang dapat digunakan. Halaman ini terus mencoba secara otomatis.",
  notAvailable: "Tidak tersedia saat ini",
  search: "Cari",
  noSearchResult: "Tidak ada hasil dengan nama ini",
  otherRegions: "Negara dan wilayah lain",

  // Paying
  preparing: "Menyiapkan pembayaran Anda",
  preparingText: "Ini hanya perlu waktu sebentar.",
  payWith: "Bayar dengan {wallet}",
  payWithHere: "Bayar dengan {wallet} di perangkat ini",
  payBy: "Bayar sebelum {time}",
  scan: "Buka {wallet}, ketuk “Pindai”, lalu arahkan kamera ke kode ini.",
  otherDevice: "Bayar dengan perangkat lain",
  or: "atau",
  qrCodeLabel: "Kode QR pembayaran ini",
  openApp: "Buka {wallet}: pembayaran sudah menunggu Anda di sana.",
  codeExpired: "Kode ini sudah kedaluwarsa. Kode berikutnya segera muncul.",
  openWallet: "Buka {wallet}",
  payOnWebsite: "Bayar di situs web {wallet}",
  frameLabel: "Formulir pembayaran {wallet}",
  showResult: "Tampilkan hasil",
  confirm: "Konfirmasikan pembayaran Anda",
  confirmText:
    "{wallet} meminta konfirmasi Anda, misalnya di aplikasi bank Anda. Halaman ini berlanjut dengan sendirinya.",
  minutesLeft: { other: "Sisa waktu {count} menit" },
  deadlinePassed: "Waktu pembayaran telah habis.",

  // Waiting for the payment provider
  change: "Bayar dengan cara lain",
  changing: "Membatalkan pilihan Anda",
  changingText: "Kami meminta {wallet} menutup pembayaran ini. Mohon jangan membayar di sana sekarang.",
  closing: "Memeriksa pembayaran Anda",
  closingCancelled: "Pembayaran ini sedang dibatalkan oleh {merchant}.",
  closingText:
    "Kami sedang menanyakan ke {wallet} apakah Anda sudah membayar. Mohon jangan membayar sekarang.",
  pending: "Pembayaran Anda sedang dikonfirmasi",
  pendingText: "Bagian Anda sudah selesai. Anda tidak perlu membayar lagi.",

  // Final states
  paid: "Sudah dibayar",
  paidText: "Pembayaran Anda ke {merchant} telah selesai.",
  authorized: "Dana dicadangkan",
  authorizedText: "Dana ini dicadangkan untuk {merchant} dan akan ditarik nanti.",
  refunded: "{amount} telah dikembalikan kepada Anda pada {date}.",
  refundPending: "{amount} sedang dikembalikan kepada Anda.",
  failed: "Pembayaran tidak berhasil",
  notCharged: "Dana Anda tidak terpotong.",
  expired: "Waktu habis",
  expiredText: "Tidak ada pembayaran yang masuk hingga batas waktu.",
  cancelled: "Dibatalkan",
  cancelledText: "Pembayaran ini dibatalkan oleh {merchant}.",
  refundFollows: "Dana yang Anda bayarkan akan dikembalikan ke dompet digital Anda.",
  startAgain: "Untuk membayar dengan cara lain, silakan kembali ke {merchant} dan mulai lagi.",
  back: "Kembali ke {merchant}",
  backWithoutPaying: "Kembali ke {merchant} tanpa membayar",
  returning: { other: "Anda akan kembali dalam {count} detik" },
  stayOnPage: "Tetap di sini",

  // Reasons of a failure
  refused: "Pembayaran tidak diterima.",
  balanceTooLow: "Saldo Anda tidak cukup.",
  overLimit: "Jumlah ini melebihi batas dompet digital Anda.",
  tooOften: "Untuk saat ini, Anda telah mencapai batas frekuensi pembayaran dari dompet digital Anda.",
  accountUnknown: "Akun Anda tidak ditemukan di dompet digital tersebut.",
  accountUnusable: "Akun dompet digital Anda tidak dapat digunakan saat ini.",
  accountUnverified: "Akun Anda harus diverifikasi dahulu oleh dompet digital Anda.",
  providerUnsureOfYou: "Dompet digital Anda tidak dapat memastikan bahwa itu memang Anda.",
  bankUnsureOfYou: "Bank Anda tidak dapat memastikan bahwa itu memang Anda.",
  currencyNotTaken: "Dompet digital Anda tidak menerima mata uang ini.",
  cardNotTaken: "Kartu Anda tidak dapat digunakan di sini.",
  cardNumberWrong: "Nomor kartu Anda tidak benar.",
  cardExpiryWrong: "Tanggal kedaluwarsa kartu Anda tidak benar.",
  bankRefused: "Bank Anda tidak menerima pembayaran ini.",

  // Errors
  missing: "Pembayaran ini tidak ada",
  missingText: "Tautan ini tidak lengkap atau telah diubah. Silakan kembali ke toko dan mulai lagi.",
  fault: "Mohon tunggu sebentar",
  faultText:
    "Kami tidak dapat menampilkan pembayaran ini sekarang. " +
    "Jika Anda sudah membayar, jangan membayar lagi: halaman ini terus mencoba secara otomatis.",
};
