import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const es: Texts = {
  // Frame of every page
  sandbox: "Sandbox: no se mueve dinero real",
  language: "Idioma",
  defaultMerchantName: "la tienda",
  defaultMethodName: "su billetera digital",
  connectionLost: "Sin conexión. Seguimos intentándolo.",

  // Summary of the payment
  summaryLabel: "Detalle del pago",
  goods: "Su pedido",
  moreGoods: {
    one: "y {count} artículo más",
    many: "y {count} de artículos más",
    other: "y {count} artículos más",
  },
  shipping: "Envío",
  orderNumber: "Pedido",
  reference: "Referencia",
  paidAt: "Pagado",
  paidWith: "Pagado con",
  copy: "Copiar",
  copied: "Copiado",
  print: "Imprimir recibo",
  help: "Pedir ayuda a {merchant}",

  // Choosing
  choosing: "Elija cómo pagar",
  chooseBy: "Hora límite para elegir: {time}",
  methodsLabel: "Formas de pago",
  noMethodAvailable:
    "En este momento no se puede usar ninguna forma de pago. Esta página sigue intentándolo por sí sola.",
  notAvailable: "No disponible en este momento",
  search: "Buscar",
  noSearchResult: "No hay nada con ese nombre",
  otherRegions: "Otros países y regiones",

  // Paying
  preparing: "Preparando su pago",
  preparingText: "Esto tarda un momento.",
  payWith: "Pagar con {wallet}",
  payWithHere: "Pagar con {wallet} en este dispositivo",
  payBy: "Hora límite para pagar: {time}",
  scan: "Abra {wallet}, toque “Escanear” y apunte con la cámara a este código.",
  otherDevice: "Pagar con otro dispositivo",
  or: "o",
  qrCodeLabel: "Código QR de este pago",
  openApp: "Abra {wallet}: el pago le espera allí.",
  codeExpired: "Este código ha caducado. El siguiente llega en un momento.",
  openWallet: "Abrir {wallet}",
  payOnWebsite: "Pagar en el sitio web de {wallet}",
  frameLabel: "Formulario de pago de {wallet}",
  showResult: "Mostrar el resultado",
  confirm: "Confirme su pago",
  confirmText:
    "{wallet} le pide una confirmación, por ejemplo en la aplicación de su banco. Esta página continúa por sí sola.",
  minutesLeft: {
    one: "Queda {count} minuto",
    many: "Quedan {count} de minutos",
    other: "Quedan {count} minutos",
  },
  deadlinePassed: "El tiempo para pagar ha terminado.",

  // Waiting for the payment provider
  change: "Pagar de otra forma",
  changing: "Anulando su elección",
  changingText: "Estamos pidiendo a {wallet} que cierre este pago. Por favor, no pague allí ahora.",
  closing: "Verificando su pago",
  closingCancelled: "Este pago está siendo cancelado por {merchant}.",
  closingText: "Estamos consultando con {wallet} si usted ha pagado. Por favor, no pague ahora.",
  pending: "Su pago se está confirmando",
  pendingText: "Usted ya hizo su parte. No es necesario volver a pagar.",

  // Final states
  paid: "Pagado",
  paidText: "Su pago a {merchant} se ha completado.",
  authorized: "Reservado",
  authorizedText: "El importe está reservado para {merchant} y se cobrará más adelante.",
  refunded: "Se le reembolsó un importe de {amount} el {date}.",
  refundPending: "Se le está reembolsando un importe de {amount}.",
  failed: "No pagado",
  notCharged: "No se le ha cobrado nada.",
  expired: "El tiempo ha terminado",
  expiredText: "No se recibió ningún pago a tiempo.",
  cancelled: "Cancelado",
  cancelledText: "Este pago fue cancelado por {merchant}.",
  refundFollows: "Lo que pagó se devolverá a su billetera digital.",
  startAgain: "Para pagar de otra forma, vuelva a {merchant} y empiece de nuevo.",
  back: "Volver a {merchant}",
  backWithoutPaying: "Volver a {merchant} sin pagar",
  returning: {
    one: "Volverá en {count} segundo",
    many: "Volverá en {count} de segundos",
    other: "Volverá en {count} segundos",
  },
  stayOnPage: "Permanecer aquí",

  // Reasons of a failure
  refused: "El pago no fue aceptado.",
  balanceTooLow: "Su saldo es insuficiente.",
  overLimit: "El importe supera el límite de su billetera digital.",
  tooOften: "Ha alcanzado el número de pagos que su billetera digital permite por ahora.",
  accountUnknown: "La billetera digital no reconoce su cuenta.",
  accountUnusable: "La cuenta de su billetera digital no se puede usar en este momento.",
  accountUnverified: "Su billetera digital debe verificar primero su cuenta.",
  providerUnsureOfYou: "Su billetera digital no pudo confirmar su identidad.",
  bankUnsureOfYou: "Su banco no pudo confirmar su identidad.",
  currencyNotTaken: "Su billetera digital no acepta esta moneda.",
  cardNotTaken: "Su tarjeta no se puede usar aquí.",
  cardNumberWrong: "El número de su tarjeta no es correcto.",
  cardExpiryWrong: "La fecha de vencimiento de su tarjeta no es correcta.",
  bankRefused: "Su banco no aceptó el pago.",

  // Errors
  missing: "Este pago no existe",
  missingText: "Este enlace está incompleto o fue modificado. Vuelva a la tienda y empiece de nuevo.",
  fault: "Un momento, por favor",
  faultText:
    "No podemos mostrar este pago en este momento. Si ya pagó, no vuelva a pagar: " +
    "esta página sigue intentándolo por sí sola.",
};
