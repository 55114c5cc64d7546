import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const ar: Texts = {
  // Frame of every page
  sandbox: "بيئة تجريبية: لا تُنقل أي أموال حقيقية",
  language: "اللغة",
  defaultMerchantName: "المتجر",
  defaultMethodName: "محفظتك",
  connectionLost: "لا يوجد اتصال. نواصل المحاولة.",

  // Summary of the payment
  summaryLabel: "تفاصيل الدفع",
  goods: "طلبك",
  moreGoods: {
    zero: "و{count} منتج آخر",
    one: "ومنتج واحد آخر",
    two: "ومنتجان آخران",
    few: "و{count} منتجات أخرى",
    many: "و{count} منتجًا آخر",
    other: "و{count} منتج آخر",
  },
  shipping: "الشحن",
  orderNumber: "رقم الطلب",
  reference: "الرقم المرجعي",
  paidAt: "وقت الدفع",
  paidWith: "تم الدفع عبر",
  copy: "نسخ",
  copied: "تم النسخ",
  print: "طباعة الإيصال",
  help: "طلب المساعدة من {merchant}",

  // Choosing
  choosing: "اختر طريقة الدفع",
  chooseBy: "يُرجى الاختيار قبل {time}",
  methodsLabel: "طرق الدفع",
  noMethodAvailable: "لا توجد طريقة دفع يمكن استخدامها حاليًا. تواصل هذه الصفحة المحاولة تلقائيًا.",
  notAvailable: "غير متاح حاليًا",
  search: "بحث",
  noSearchResult: "لا توجد نتائج بهذا الاسم",
  otherRegions: "بلدان ومناطق أخرى",

  // Paying
  preparing: "جارٍ تجهيز عملية الدفع",
  preparingText: "يستغرق ذلك لحظات.",
  payWith: "الدفع عبر {wallet}",
  payWithHere: "الدفع عبر {wallet} على هذا الجهاز",
  payBy: "يُرجى الدفع قبل {time}",
  scan: "افتح {wallet} واضغط على «مسح»، ثم وجّه الكاميرا نحو هذا الرمز.",
  otherDevice: "الدفع باستخدام جهاز آخر",
  or: "أو",
  qrCodeLabel: "رمز QR لعملية الدفع هذه",
  openApp: "افتح {wallet}: عملية الدفع بانتظارك هناك.",
  minutesLeft: {
    zero: "الوقت المتبقي: {count} دقيقة",
    one: "الوقت المتبقي: دقيقة واحدة",
    two: "الوقت المتبقي: دقيقتان",
    few: "الوقت المتبقي: {count} دقائق",
    many: "الوقت المتبقي: {count} دقيقة",
    other: "الوقت المتبقي: {count} دقيقة",
  },
  deadlinePassed: "انتهى وقت الدفع.",

  // Waiting for the payment provider
  change: "الدفع بطريقة أخرى",
  changing: "جارٍ التراجع عن اختيارك",
  changingText: "نطلب من {wallet} إغلاق هذه الدفعة. يُرجى عدم الدفع هناك الآن.",
  closing: "جارٍ التحقق من عملية الدفع",
  closingCancelled: "يجري إلغاء عملية الدفع هذه من قِبل {merchant}.",
  closingText: "نستعلم من {wallet} عمّا إذا كنت قد دفعت. يُرجى عدم الدفع الآن.",
  pending: "جارٍ تأكيد عملية الدفع",
  pendingText: "لقد أتممت ما عليك. لا حاجة إلى الدفع مرة أخرى.",

  // Final states
  paid: "تم الدفع",
  paidText: "اكتملت عملية الدفع إلى {merchant}.",
  authorized: "تم حجز المبلغ",
  authorizedText: "المبلغ محجوز لصالح {merchant}، وسيُخصم لاحقًا.",
  refunded: "تم رد مبلغ {amount} إليك بتاريخ {date}.",
  refundPending: "يجري رد مبلغ {amount} إليك.",
  failed: "لم يتم الدفع",
  notCharged: "لم يُخصم منك أي مبلغ.",
  expired: "انتهى الوقت",
  expiredText: "لم تصل أي دفعة في الوقت المحدد.",
  cancelled: "تم الإلغاء",
  cancelledText: "تم إلغاء عملية الدفع هذه من قِبل {merchant}.",
  refundFollows: "سيُرد المبلغ الذي دفعته إلى محفظتك.",
  startAgain: "للدفع بطريقة أخرى، يُرجى العودة إلى {merchant} والبدء من جديد.",
  back: "العودة إلى {merchant}",
  backWithoutPaying: "العودة إلى {merchant} دون دفع",
  returning: {
    zero: "ستعود بعد {count} ثانية",
    one: "ستعود بعد ثانية واحدة",
    two: "ستعود بعد ثانيتين",
    few: "ستعود بعد {count} ثوانٍ",
    many: "ستعود بعد {count} ثانية",
    other: "ستعود بعد {count} ثانية",
  },
  stayOnPage: "البقاء هنا",

  // Reasons of a failure
  refused: "لم تُقبل عملية الدفع.",
  balanceTooLow: "رصيدك غير كافٍ.",
  overLimit: "يتجاوز المبلغ الحد المسموح به في محفظتك.",
  tooOften: "لقد بلغت الحد الأقصى لعدد عمليات الدفع الذي تسمح به محفظتك حاليًا.",
  accountUnknown: "لم تتعرّف المحفظة على حسابك.",
  accountUnusable: "لا يمكن استخدام حساب محفظتك حاليًا.",
  accountUnverified: "يجب أن تتحقق محفظتك من حسابك أولًا.",
  providerUnsureOfYou: "لم تتمكن محفظتك من التحقق من هويتك.",
  bankUnsureOfYou: "لم يتمكن مصرفك من التحقق من هويتك.",
  currencyNotTaken: "لا تقبل محفظتك هذه العملة.",
  cardNotTaken: "لا يمكن استخدام بطاقتك هنا.",
  cardNumberWrong: "رقم بطاقتك غير صحيح.",
  cardExpiryWrong: "تاريخ انتهاء صلاحية بطاقتك غير صحيح.",
  bankRefused: "لم يقبل مصرفك عملية الدفع.",

  // Errors
  missing: "عملية الدفع هذه غير موجودة",
  missingText: "هذا الرابط غير مكتمل أو جرى تغييره. يُرجى العودة إلى المتجر والبدء من جديد.",
  fault: "لحظة من فضلك",
  faultText:
    "لا يمكننا عرض عملية الدفع هذه حاليًا. " +
    "إذا كنت قد دفعت، فلا تدفع مرة أخرى: تواصل هذه الصفحة المحاولة تلقائيًا.",
};
