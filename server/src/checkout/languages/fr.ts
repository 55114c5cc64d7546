import type { Texts } from "./texts.ts";

/** Machine-translated. A native speaker has not reviewed it yet. */
export const fr: Texts = {
  // Frame of every page
  sandbox: "Sandbox\u00a0: aucun argent réel n’est échangé",
  language: "Langue",
  defaultMerchantName: "la boutique",
  defaultMethodName: "votre portefeuille numérique",
  connectionLost: "Pas de connexion. Nous continuons d’essayer.",

  // Summary of the payment
  summaryLabel: "Détail du paiement",
  goods: "Votre commande",
  moreGoods: {
    one: "et {count} autre article",
    many: "et {count} d’autres articles",
    other: "et {count} autres articles",
  },
  shipping: "Livraison",
  orderNumber: "Commande",
  reference: "Référence",
  paidAt: "Payé",
  paidWith: "Payé avec",
  copy: "Copier",
  copied: "Copié",
  print: "Imprimer le reçu",
  help: "Demander de l’aide à {merchant}",

  // Choosing
  choosing: "Choisissez un moyen de paiement",
  chooseBy: "À choisir avant\u00a0: {time}",
  methodsLabel: "Moyens de paiement",
  noMethodAvailable:
    "Aucun moyen de paiement n’est utilisable pour le moment. Cette page réessaie automatiquement.",
  notAvailable: "Indisponible pour le moment",
  search: "Rechercher",
  noSearchResult: "Aucun résultat pour ce nom",
  otherRegions: "Autres pays et régions",

  // Paying
  preparing: "Préparation de votre paiement",
  preparingText: "Cela prend un instant.",
  payWith: "Payer avec {wallet}",
  payWithHere: "Payer avec {wallet} sur cet appareil",
  payBy: "À payer avant\u00a0: {time}",
  scan: "Ouvrez {wallet}, appuyez sur «\u00a0Scanner\u00a0» et dirigez la caméra vers ce code.",
  otherDevice: "Payer avec un autre appareil",
  or: "ou",
  qrCodeLabel: "QR code de ce paiement",
  openApp: "Ouvrez {wallet}\u00a0: le paiement vous y attend.",
  codeExpired: "Ce code a expiré. Le suivant arrive dans un instant.",
  openWallet: "Ouvrir {wallet}",
  payOnWebsite: "Payer sur le site de {wallet}",
  frameLabel: "Formulaire de paiement de {wallet}",
  showResult: "Afficher le résultat",
  confirm: "Confirmez votre paiement",
  confirmText:
    "{wallet} vous demande une confirmation, par exemple dans l’application de votre banque. Cette page se met à jour toute seule.",
  minutesLeft: {
    one: "{count} minute restante",
    many: "{count} de minutes restantes",
    other: "{count} minutes restantes",
  },
  deadlinePassed: "Le délai de paiement est écoulé.",

  // Waiting for the payment provider
  change: "Payer autrement",
  changing: "Annulation de votre choix",
  changingText: "Nous demandons à {wallet} de clore ce paiement. Merci de ne pas y payer maintenant.",
  closing: "Vérification de votre paiement",
  closingCancelled: "Ce paiement est en cours d’annulation par {merchant}.",
  closingText: "Nous demandons à {wallet} si vous avez payé. Veuillez ne pas payer maintenant.",
  pending: "Votre paiement est en cours de confirmation",
  pendingText: "Vous avez fait le nécessaire. Inutile de payer à nouveau.",

  // Final states
  paid: "Payé",
  paidText: "Votre paiement à {merchant} est effectué.",
  authorized: "Réservé",
  authorizedText: "Le montant est réservé pour {merchant} et sera débité plus tard.",
  refunded: "Un montant de {amount} vous a été remboursé le {date}.",
  refundPending: "Un montant de {amount} est en cours de remboursement.",
  failed: "Non payé",
  notCharged: "Aucun montant n’a été débité.",
  expired: "Délai écoulé",
  expiredText: "Aucun paiement n’a été reçu à temps.",
  cancelled: "Annulé",
  cancelledText: "Ce paiement a été annulé par {merchant}.",
  refundFollows: "La somme payée vous sera remboursée sur votre portefeuille numérique.",
  startAgain: "Pour payer autrement, revenez à {merchant} et recommencez.",
  back: "Revenir à {merchant}",
  backWithoutPaying: "Revenir à {merchant} sans payer",
  returning: {
    one: "Retour dans {count} seconde",
    many: "Retour dans {count} de secondes",
    other: "Retour dans {count} secondes",
  },
  stayOnPage: "Rester ici",

  // Reasons of a failure
  refused: "Le paiement n’a pas été accepté.",
  balanceTooLow: "Votre solde est insuffisant.",
  overLimit: "Le montant dépasse le plafond de votre portefeuille numérique.",
  tooOften:
    "Vous avez atteint le nombre de paiements que votre portefeuille numérique autorise pour le moment.",
  accountUnknown: "Le portefeuille numérique ne reconnaît pas votre compte.",
  accountUnusable: "Le compte de votre portefeuille numérique est inutilisable pour le moment.",
  accountUnverified: "Votre portefeuille numérique doit d’abord vérifier votre compte.",
  providerUnsureOfYou: "Votre portefeuille numérique n’a pas pu confirmer votre identité.",
  bankUnsureOfYou: "Votre banque n’a pas pu confirmer votre identité.",
  currencyNotTaken: "Votre portefeuille numérique n’accepte pas cette devise.",
  cardNotTaken: "Votre carte ne peut pas être utilisée ici.",
  cardNumberWrong: "Le numéro de votre carte est incorrect.",
  cardExpiryWrong: "La date d’expiration de votre carte est incorrecte.",
  bankRefused: "Votre banque n’a pas accepté le paiement.",

  // Errors
  missing: "Ce paiement n’existe pas",
  missingText: "Ce lien est incomplet ou a été modifié. Revenez à la boutique et recommencez.",
  fault: "Un instant, s’il vous plaît",
  faultText:
    "Nous ne pouvons pas afficher ce paiement pour le moment. Si vous avez payé, " +
    "ne payez pas à nouveau\u00a0: cette page réessaie automatiquement.",
};
