import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const pt: Texts = {
  // Frame of every page
  sandbox: "Sandbox: nenhum dinheiro real é movimentado",
  language: "Idioma",
  defaultMerchantName: "esta loja",
  defaultMethodName: "sua carteira digital",
  connectionLost: "Sem conexão. Continuamos tentando.",

  // Summary of the payment
  summaryLabel: "Detalhes do pagamento",
  goods: "Seu pedido",
  moreGoods: {
    one: "e mais {count} item",
    many: "e mais {count} de itens",
    other: "e mais {count} itens",
  },
  shipping: "Envio",
  orderNumber: "Pedido",
  reference: "Referência",
  paidAt: "Pago",
  paidWith: "Pago com",
  copy: "Copiar",
  copied: "Copiado",
  print: "Imprimir recibo",
  help: "Pedir ajuda a {merchant}",

  // Choosing
  choosing: "Escolha como pagar",
  chooseBy: "Escolha até {time}",
  methodsLabel: "Formas de pagamento",
  noMethodAvailable:
    "Nenhuma forma de pagamento pode ser usada no momento. Esta página continua tentando automaticamente.",
  notAvailable: "Indisponível no momento",
  search: "Buscar",
  noSearchResult: "Nenhum resultado com esse nome",
  otherRegions: "Outros países e regiões",

  // Paying
  preparing: "Preparando seu pagamento",
  preparingText: "Isso leva um instante.",
  payWith: "Pagar com {wallet}",
  payWithHere: "Pagar com {wallet} neste dispositivo",
  payBy: "Pague até {time}",
  scan: "Abra {wallet}, toque em “Escanear” e aponte a câmera para este código.",
  otherDevice: "Pagar com outro dispositivo",
  or: "ou",
  qrCodeLabel: "Código QR deste pagamento",
  openApp: "Abra {wallet}: o pagamento está à sua espera lá.",
  codeExpired: "Este código expirou. O próximo chega em instantes.",
  openWallet: "Abrir {wallet}",
  payOnWebsite: "Pagar no site de {wallet}",
  frameLabel: "Formulário de pagamento de {wallet}",
  showResult: "Mostrar o resultado",
  confirm: "Confirme o seu pagamento",
  confirmText:
    "{wallet} pede a sua confirmação, por exemplo no aplicativo do seu banco. Esta página continua sozinha.",
  minutesLeft: {
    one: "Resta {count} minuto",
    many: "Restam {count} de minutos",
    other: "Restam {count} minutos",
  },
  deadlinePassed: "O prazo para pagar terminou.",

  // Waiting for the payment provider
  change: "Pagar de outra forma",
  changing: "Desfazendo a sua escolha",
  changingText: "Estamos pedindo a {wallet} que feche este pagamento. Por favor, não pague lá agora.",
  closing: "Verificando seu pagamento",
  closingCancelled: "Este pagamento está sendo cancelado por {merchant}.",
  closingText: "Estamos consultando {wallet} para saber se você pagou. Por favor, não pague agora.",
  pending: "Seu pagamento está sendo confirmado",
  pendingText: "Você já fez a sua parte. Não é necessário pagar novamente.",

  // Final states
  paid: "Pago",
  paidText: "Seu pagamento a {merchant} foi concluído.",
  authorized: "Reservado",
  authorizedText: "O valor está reservado para {merchant} e será cobrado mais tarde.",
  refunded: "O valor de {amount} foi reembolsado a você em {date}.",
  refundPending: "O valor de {amount} está sendo reembolsado a você.",
  failed: "Não pago",
  notCharged: "Nenhum valor foi cobrado.",
  expired: "O prazo terminou",
  expiredText: "Nenhum pagamento foi recebido a tempo.",
  cancelled: "Cancelado",
  cancelledText: "Este pagamento foi cancelado por {merchant}.",
  refundFollows: "O valor pago será devolvido à sua carteira digital.",
  startAgain: "Para pagar de outra forma, volte para {merchant} e comece de novo.",
  back: "Voltar para {merchant}",
  backWithoutPaying: "Voltar para {merchant} sem pagar",
  returning: {
    one: "Retorno em {count} segundo",
    many: "Retorno em {count} de segundos",
    other: "Retorno em {count} segundos",
  },
  stayOnPage: "Ficar aqui",

  // Reasons of a failure
  refused: "O pagamento não foi aceito.",
  balanceTooLow: "Seu saldo é insuficiente.",
  overLimit: "O valor ultrapassa o limite da sua carteira digital.",
  tooOften: "Você atingiu o número de pagamentos que sua carteira digital permite por enquanto.",
  accountUnknown: "A carteira digital não reconhece sua conta.",
  accountUnusable: "A conta da sua carteira digital não pode ser usada no momento.",
  accountUnverified: "Sua carteira digital precisa verificar sua conta primeiro.",
  providerUnsureOfYou: "Sua carteira digital não conseguiu confirmar sua identidade.",
  bankUnsureOfYou: "Seu banco não conseguiu confirmar sua identidade.",
  currencyNotTaken: "Sua carteira digital não aceita esta moeda.",
  cardNotTaken: "Seu cartão não pode ser usado aqui.",
  cardNumberWrong: "O número do seu cartão não está correto.",
  cardExpiryWrong: "A data de validade do seu cartão não está correta.",
  bankRefused: "Seu banco não aceitou o pagamento.",

  // Errors
  missing: "Este pagamento não existe",
  missingText: "Este link está incompleto ou foi alterado. Volte para a loja e comece de novo.",
  fault: "Um momento, por favor",
  faultText:
    "Não podemos mostrar este pagamento no momento. Se você já pagou, não pague novamente: " +
    "esta página continua tentando automaticamente.",
};
