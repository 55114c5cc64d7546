import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const ja: Texts = {
  // Frame of every page
  sandbox: "サンドボックス：実際のお金は動きません",
  language: "言語",
  defaultMerchantName: "ショップ",
  defaultMethodName: "ご利用のウォレット",
  connectionLost: "接続できません。再試行を続けています。",

  // Summary of the payment
  summaryLabel: "お支払い内容",
  goods: "ご注文内容",
  moreGoods: { other: "ほか{count}点" },
  shipping: "送料",
  orderNumber: "注文番号",
  reference: "照会番号",
  paidAt: "お支払い日時",
  paidWith: "お支払い方法",
  copy: "コピー",
  copied: "コピーしました",
  print: "レシートを印刷",
  help: "{merchant}に問い合わせる",

  // Choosing
  choosing: "お支払い方法を選択してください",
  chooseBy: "{time}までに選択してください",
  methodsLabel: "お支払い方法",
  noMethodAvailable: "現在ご利用いただけるお支払い方法がありません。このページは自動的に再試行を続けます。",
  notAvailable: "現在ご利用いただけません",
  search: "検索",
  noSearchResult: "該当する名前のお支払い方法はありません",
  otherRegions: "その他の国・地域",

  // Paying
  preparing: "お支払いを準備しています",
  preparingText: "少々お待ちください。",
  payWith: "{wallet}で支払う",
  payWithHere: "この端末で{wallet}を使って支払う",
  payBy: "{time}までにお支払いください",
  scan: "{wallet}を開いて「スキャン」をタップし、このコードにカメラを向けてください。",
  otherDevice: "別の端末で支払う",
  or: "または",
  qrCodeLabel: "このお支払いのQRコード",
  openApp: "{wallet}を開いてください。お支払いのリクエストが届いています。",
  codeExpired: "このコードの有効期限が切れました。まもなく新しいコードが表示されます。",
  openWallet: "{wallet}を開く",
  payOnWebsite: "{wallet}のウェブサイトで支払う",
  frameLabel: "{wallet}のお支払いフォーム",
  showResult: "結果を表示する",
  confirm: "お支払いの確認",
  confirmText: "{wallet}で確認が必要です（例：銀行のアプリ）。このページは自動的に進みます。",
  minutesLeft: { other: "残り{count}分" },
  deadlinePassed: "お支払い期限を過ぎました。",

  // Waiting for the payment provider
  change: "別の方法で支払う",
  changing: "選択を取り消しています",
  changingText: "{wallet} にこの支払いの取り消しを依頼しています。今は支払わないでください。",
  closing: "お支払い状況を照会しています",
  closingCancelled: "{merchant}がこのお支払いのキャンセルを進めています。",
  closingText: "お支払いがお済みかどうかを{wallet}に照会しています。今はお支払いをしないでください。",
  pending: "お支払いを確認しています",
  pendingText: "お客さまの操作は完了しています。再度お支払いいただく必要はありません。",

  // Final states
  paid: "お支払い済み",
  paidText: "{merchant}へのお支払いが完了しました。",
  authorized: "金額を確保しました",
  authorizedText: "この金額は{merchant}へのお支払い用に確保され、後ほど引き落とされます。",
  refunded: "{date}に{amount}が返金されました。",
  refundPending: "{amount}の返金手続き中です。",
  failed: "お支払いできませんでした",
  notCharged: "引き落としは行われていません。",
  expired: "お支払い期限切れ",
  expiredText: "期限内にお支払いがありませんでした。",
  cancelled: "キャンセル済み",
  cancelledText: "このお支払いは{merchant}によりキャンセルされました。",
  refundFollows: "お支払いいただいた金額は、ご利用のウォレットに返金されます。",
  startAgain: "別の方法で支払うには、{merchant}に戻り、はじめからお手続きください。",
  back: "{merchant}に戻る",
  backWithoutPaying: "支払わずに{merchant}に戻る",
  returning: { other: "{count}秒後に戻ります" },
  stayOnPage: "このページにとどまる",

  // Reasons of a failure
  refused: "お支払いは承認されませんでした。",
  balanceTooLow: "残高が不足しています。",
  overLimit: "金額がご利用のウォレットの上限を超えています。",
  tooOften: "お支払い回数が、ご利用のウォレットの現在の上限に達しています。",
  accountUnknown: "ウォレットでお客さまのアカウントが見つかりません。",
  accountUnusable: "お客さまのウォレットアカウントは現在ご利用いただけません。",
  accountUnverified: "先に、ご利用のウォレットによるアカウントの確認が必要です。",
  providerUnsureOfYou: "ご利用のウォレットで、ご本人であることを確認できませんでした。",
  bankUnsureOfYou: "ご利用の銀行で、ご本人であることを確認できませんでした。",
  currencyNotTaken: "ご利用のウォレットはこの通貨に対応していません。",
  cardNotTaken: "お客さまのカードは、こちらではご利用いただけません。",
  cardNumberWrong: "カード番号が正しくありません。",
  cardExpiryWrong: "カードの有効期限が正しくありません。",
  bankRefused: "ご利用の銀行でお支払いが承認されませんでした。",

  // Errors
  missing: "該当するお支払いはありません",
  missingText: "このリンクは不完全か、変更されています。ショップに戻り、はじめからお手続きください。",
  fault: "少々お待ちください",
  faultText:
    "現在、このお支払いを表示できません。お支払い済みの場合は、再度のお支払いはなさらないでください。このページは自動的に再試行を続けます。",
};
