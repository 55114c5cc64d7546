import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const de: Texts = {
  // Frame of every page
  sandbox: "Sandbox: Es fließt kein echtes Geld",
  language: "Sprache",
  defaultMerchantName: "das Geschäft",
  defaultMethodName: "Ihre Wallet",
  connectionLost: "Keine Verbindung. Wir versuchen es weiter.",

  // Summary of the payment
  summaryLabel: "Details zur Zahlung",
  goods: "Ihre Bestellung",
  moreGoods: { one: "und {count} weiterer Artikel", other: "und {count} weitere Artikel" },
  shipping: "Versand",
  orderNumber: "Bestellung",
  reference: "Referenz",
  paidAt: "Bezahlt",
  paidWith: "Bezahlt über",
  copy: "Kopieren",
  copied: "Kopiert",
  print: "Beleg drucken",
  help: "Hilfe: {merchant} kontaktieren",

  // Choosing
  choosing: "Zahlungsart wählen",
  chooseBy: "Bitte wählen bis {time}",
  methodsLabel: "Zahlungsarten",
  noMethodAvailable: "Derzeit ist keine Zahlungsart verfügbar. Diese Seite versucht es von selbst weiter.",
  notAvailable: "Derzeit nicht verfügbar",
  search: "Suchen",
  noSearchResult: "Nichts mit diesem Namen gefunden",
  otherRegions: "Andere Länder und Regionen",

  // Paying
  preparing: "Ihre Zahlung wird vorbereitet",
  preparingText: "Das dauert einen Moment.",
  payWith: "Über {wallet} bezahlen",
  payWithHere: "Über {wallet} auf diesem Gerät bezahlen",
  payBy: "Bitte bezahlen bis {time}",
  scan: "Öffnen Sie {wallet}, tippen Sie auf „Scannen“ und richten Sie die Kamera auf diesen Code.",
  otherDevice: "Mit einem anderen Gerät bezahlen",
  or: "oder",
  qrCodeLabel: "QR-Code dieser Zahlung",
  openApp: "Öffnen Sie {wallet}: Die Zahlung wartet dort auf Sie.",
  codeExpired: "Dieser Code ist abgelaufen. Der nächste folgt gleich.",
  openWallet: "{wallet} öffnen",
  payOnWebsite: "Auf der Website von {wallet} bezahlen",
  frameLabel: "Zahlungsformular von {wallet}",
  showResult: "Ergebnis anzeigen",
  confirm: "Bestätigen Sie Ihre Zahlung",
  confirmText:
    "{wallet} bittet Sie um eine Bestätigung, zum Beispiel in der App Ihrer Bank. Diese Seite geht von selbst weiter.",
  minutesLeft: { one: "Noch {count} Minute", other: "Noch {count} Minuten" },
  deadlinePassed: "Die Zeit zum Bezahlen ist abgelaufen.",

  // Waiting for the payment provider
  change: "Anders bezahlen",
  changing: "Ihre Wahl wird zurückgenommen",
  changingText: "Wir bitten {wallet}, diese Zahlung zu schließen. Bitte bezahlen Sie dort jetzt nicht.",
  closing: "Ihre Zahlung wird geprüft",
  closingCancelled: "Diese Zahlung wird gerade durch {merchant} storniert.",
  closingText: "Wir klären über {wallet}, ob Sie bezahlt haben. Bitte bezahlen Sie jetzt nicht.",
  pending: "Ihre Zahlung wird bestätigt",
  pendingText: "Sie haben alles Nötige getan. Sie müssen nicht noch einmal bezahlen.",

  // Final states
  paid: "Bezahlt",
  paidText: "Ihre Zahlung an {merchant} ist abgeschlossen.",
  authorized: "Reserviert",
  authorizedText: "Der Betrag ist für {merchant} reserviert und wird später abgebucht.",
  refunded: "Am {date} wurde Ihnen ein Betrag von {amount} erstattet.",
  refundPending: "Ihnen wird gerade ein Betrag von {amount} erstattet.",
  failed: "Nicht bezahlt",
  notCharged: "Es wurde nichts abgebucht.",
  expired: "Die Zeit ist abgelaufen",
  expiredText: "Es ist keine Zahlung rechtzeitig eingegangen.",
  cancelled: "Storniert",
  cancelledText: "Diese Zahlung wurde durch {merchant} storniert.",
  refundFollows: "Der gezahlte Betrag geht zurück an Ihre Wallet.",
  startAgain: "Um anders zu bezahlen, rufen Sie bitte {merchant} wieder auf und beginnen Sie neu.",
  back: "Zurück: {merchant}",
  backWithoutPaying: "Zurück, ohne zu bezahlen: {merchant}",
  returning: { one: "Zurück in {count} Sekunde", other: "Zurück in {count} Sekunden" },
  stayOnPage: "Hier bleiben",

  // Reasons of a failure
  refused: "Die Zahlung wurde nicht akzeptiert.",
  balanceTooLow: "Ihr Guthaben reicht nicht aus.",
  overLimit: "Der Betrag überschreitet das Limit Ihrer Wallet.",
  tooOften: "Die Anzahl der Zahlungen, die Ihre Wallet vorerst zulässt, ist erreicht.",
  accountUnknown: "Ihr Konto ist der Wallet nicht bekannt.",
  accountUnusable: "Ihr Wallet-Konto kann derzeit nicht verwendet werden.",
  accountUnverified: "Ihre Wallet muss Ihr Konto zuerst verifizieren.",
  providerUnsureOfYou: "Ihre Wallet konnte Ihre Identität nicht bestätigen.",
  bankUnsureOfYou: "Ihre Bank konnte Ihre Identität nicht bestätigen.",
  currencyNotTaken: "Ihre Wallet akzeptiert diese Währung nicht.",
  cardNotTaken: "Ihre Karte kann hier nicht verwendet werden.",
  cardNumberWrong: "Die Nummer Ihrer Karte ist nicht korrekt.",
  cardExpiryWrong: "Das Ablaufdatum Ihrer Karte ist nicht korrekt.",
  bankRefused: "Ihre Bank hat die Zahlung nicht akzeptiert.",

  // Errors
  missing: "Diese Zahlung gibt es nicht",
  missingText:
    "Dieser Link ist unvollständig oder wurde geändert. Gehen Sie zum Geschäft zurück und beginnen Sie neu.",
  fault: "Einen Moment, bitte",
  faultText:
    "Wir können diese Zahlung gerade nicht anzeigen. Falls Sie bezahlt haben, bezahlen Sie " +
    "nicht noch einmal: Diese Seite versucht es von selbst weiter.",
};
