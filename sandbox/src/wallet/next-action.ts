/** Faults that choose the next action of a buyer, instead of the usual one of the payment method. */
export const actionFaults = [
  "action-redirect",
  "action-app",
  "action-code",
  "action-in-page",
  "action-wait",
] as const;

/** A next action that a fault chose when the order was opened. */
export interface ChosenAction {
  readonly kind: (typeof actionFaults)[number];
  /** How long a code, or the time to confirm, is valid; undefined for the order's own expiry. */
  readonly lifetimeMs?: number;
  /** When the first code, or the time to confirm, expires. */
  readonly expiryTime?: string;
}

/** The fields of an order that its next action depends on. */
interface ActionTerms {
  readonly token: string;
  readonly sequence: number;
  readonly callbackUrl: string;
  readonly chosenAction?: ChosenAction;
  readonly actionExpiryTime?: string;
}

/** The next action of an open order's buyer, as the provider protocol writes it. `url` is the order's page. */
export function nextActionOnTheWire(order: ActionTerms, url: string, isCard: boolean): object {
  const { chosenAction, sequence, token, actionExpiryTime: expiryTime } = order;
  const lifetime = expiryTime === undefined ? {} : { expiryTime };
  switch (chosenAction?.kind) {
    case "action-redirect":
      return { type: "REDIRECT", url };
    case "action-app":
      return { type: "APP", appUrl: `sandbox-wallet://pay/${token}`, url };
    case "action-code":
      return { type: "QR_CODE", code: codeOf(url, sequence), url, ...lifetime };
    case "action-in-page":
      return { type: "IN_PAGE", frameUrl: url, clientData: `sandbox_client_data_${token}` };
    case "action-wait":
      return { type: "WAIT", ...lifetime };
    case undefined:
      // A card is entered and not scanned.
      return isCard ? { type: "REDIRECT", url } : { type: "QR_CODE", code: url, url };
  }
}

/** Each code of an order is another text. */
function codeOf(url: string, sequence: number): string {
  return sequence === 1 ? url : `${url}?code=${sequence}`;
}

/** The origin of the checkout page that shows the order's page in a frame; undefined for every other order. */
export function framedBy({ chosenAction, callbackUrl }: ActionTerms): string | undefined {
  return chosenAction?.kind === "action-in-page" ? new URL(callbackUrl).origin : undefined;
}
