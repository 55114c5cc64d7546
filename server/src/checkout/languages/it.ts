import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const it: Texts = {
  // Frame of every page
  sandbox: "Sandbox: non si muove denaro reale",
  language: "Lingua",
  defaultMerchantName: "questo negozio",
  defaultMethodName: "il suo wallet",
  connectionLost: "Nessuna connessione. Continuiamo a riprovare.",

  // Summary of the payment
  summaryLabel: "Dettagli del pagamento",
  goods: "Il suo ordine",
  moreGoods: {
    one: "e {count} altro articolo",
    many: "e altri {count} di articoli",
    other: "e altri {count} articoli",
  },
  shipping: "Spedizione",
  orderNumber: "Ordine",
  reference: "Riferimento",
  paidAt: "Pagato",
  paidWith: "Pagato con",
  copy: "Copia",
  copied: "Copiato",
  print: "Stampa ricevuta",
  help: "Chiedi assistenza a {merchant}",

  // Choosing
  choosing: "Scelga come pagare",
  chooseBy: "Scelga entro: {time}",
  methodsLabel: "Metodi di pagamento",
  noMethodAvailable:
    "Al momento non si può usare alcun metodo di pagamento. Questa pagina continua a riprovare da sola.",
  notAvailable: "Non disponibile al momento",
  search: "Cerca",
  noSearchResult: "Nessun risultato con questo nome",
  otherRegions: "Altri Paesi e regioni",

  // Paying
  preparing: "Stiamo preparando il suo pagamento",
  preparingText: "Ci vuole un momento.",
  payWith: "Paga con {wallet}",
  payWithHere: "Paga con {wallet} su questo dispositivo",
  payBy: "Paghi entro: {time}",
  scan: "Apra {wallet}, tocchi «Scansiona» e inquadri questo codice con la fotocamera.",
  otherDevice: "Paga con un altro dispositivo",
  or: "oppure",
  qrCodeLabel: "Codice QR di questo pagamento",
  openApp: "Apra {wallet}: il pagamento la attende lì.",
  codeExpired: "Questo codice è scaduto. Il prossimo arriva tra un momento.",
  openWallet: "Apri {wallet}",
  payOnWebsite: "Paga sul sito di {wallet}",
  frameLabel: "Modulo di pagamento di {wallet}",
  showResult: "Mostra il risultato",
  confirm: "Confermi il pagamento",
  confirmText:
    "{wallet} le chiede una conferma, per esempio nell’app della sua banca. Questa pagina prosegue da sola.",
  minutesLeft: {
    one: "Manca {count} minuto",
    many: "Mancano {count} di minuti",
    other: "Mancano {count} minuti",
  },
  deadlinePassed: "Il tempo per pagare è scaduto.",

  // Waiting for the payment provider
  change: "Paga in un altro modo",
  changing: "Annulliamo la sua scelta",
  changingText: "Stiamo chiedendo a {wallet} di chiudere questo pagamento. Non paghi lì adesso.",
  closing: "Stiamo verificando il suo pagamento",
  closingCancelled: "Questo pagamento è in corso di annullamento da parte di {merchant}.",
  closingText: "Stiamo verificando con {wallet} se lei ha pagato. La preghiamo di non pagare ora.",
  pending: "Il suo pagamento è in fase di conferma",
  pendingText: "Da parte sua è tutto fatto. Non occorre pagare di nuovo.",

  // Final states
  paid: "Pagato",
  paidText: "Il suo pagamento a {merchant} è completato.",
  authorized: "Importo autorizzato",
  authorizedText: "L’importo è stato autorizzato per {merchant} e sarà addebitato in seguito.",
  refunded: "Le è stato rimborsato un importo di {amount} in data {date}.",
  refundPending: "Il rimborso di {amount} a suo favore è in corso.",
  failed: "Non pagato",
  notCharged: "Non le è stato addebitato nulla.",
  expired: "Tempo scaduto",
  expiredText: "Nessun pagamento è arrivato in tempo.",
  cancelled: "Annullato",
  cancelledText: "Questo pagamento è stato annullato da {merchant}.",
  refundFollows: "L’importo pagato sarà riaccreditato sul suo wallet.",
  startAgain: "Per pagare in un altro modo, torni a {merchant} e ricominci.",
  back: "Torna a {merchant}",
  backWithoutPaying: "Torna a {merchant} senza pagare",
  returning: {
    one: "Ritorno tra {count} secondo",
    many: "Ritorno tra {count} di secondi",
    other: "Ritorno tra {count} secondi",
  },
  stayOnPage: "Resta qui",

  // Reasons of a failure
  refused: "Il pagamento non è stato accettato.",
  balanceTooLow: "Il suo saldo non è sufficiente.",
  overLimit: "L’importo supera il limite del suo wallet.",
  tooOften: "Ha raggiunto il numero di pagamenti che il suo wallet consente per ora.",
  accountUnknown: "Il wallet non riconosce il suo account.",
  accountUnusable: "Il suo account wallet non può essere usato al momento.",
  accountUnverified: "Il suo wallet deve prima verificare il suo account.",
  providerUnsureOfYou: "Il suo wallet non è riuscito a confermare la sua identità.",
  bankUnsureOfYou: "La sua banca non è riuscita a confermare la sua identità.",
  currencyNotTaken: "Il suo wallet non accetta questa valuta.",
  cardNotTaken: "La sua carta non può essere usata qui.",
  cardNumberWrong: "Il numero della sua carta non è corretto.",
  cardExpiryWrong: "La data di scadenza della sua carta non è corretta.",
  bankRefused: "La sua banca non ha accettato il pagamento.",

  // Errors
  missing: "Questo pagamento non esiste",
  missingText: "Questo link è incompleto o è stato modificato. Torni al negozio e ricominci.",
  fault: "Un momento, per favore",
  faultText:
    "Al momento non possiamo mostrare questo pagamento. Se ha già pagato, non paghi di nuovo: " +
    "questa pagina continua a riprovare da sola.",
};
