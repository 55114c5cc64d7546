import type { NextAction } from "../../providers/next-action.ts";

/** The next action of a buyer, and the order's `sequence` in the report that stated it. */
export interface BuyerAction {
  readonly nextAction: NextAction | undefined;
  /** The version of the action: the newer one has the higher sequence; 0 if the provider stated none. */
  readonly actionSequence: number;
}

export const noAction: BuyerAction = { nextAction: undefined, actionSequence: 0 };

/** `isNewerAction` returns whether a report states another action than the stored one, and is not stale. */
export function isNewerAction(stored: BuyerAction, reported: BuyerAction): boolean {
  const isOther = JSON.stringify(stored.nextAction) !== JSON.stringify(reported.nextAction);
  return reported.nextAction !== undefined && isOther && reported.actionSequence > stored.actionSequence;
}

/** The values of the columns provider_code, provider_url and next_action. */
export interface ActionColumns {
  readonly code?: string;
  readonly url?: string;
  readonly json?: string;
}

/**
 * `actionColumns` returns how an action is stored. The first action of most orders is an address or a code that does
 * not expire, which need two short columns. Every other action is JSON, which is deleted when the payment's status
 * changes.
 */
export function actionColumns({ nextAction, actionSequence }: BuyerAction): ActionColumns {
  if (!nextAction) return {};
  const isFirst = actionSequence <= 1;
  if (isFirst && nextAction.type === "REDIRECT") return { url: nextAction.url };
  if (isFirst && nextAction.type === "QR_CODE" && !nextAction.expiresAt) {
    const { code, url } = nextAction;
    return { code, ...(url !== undefined && { url }) };
  }
  return { json: JSON.stringify({ ...nextAction, sequence: actionSequence }) };
}

interface ActionRow {
  readonly provider_code: string | null;
  readonly provider_url: string | null;
  readonly next_action: string | null;
}

/** `actionOfRow` returns the action that is stored in a row. */
export function actionOfRow({ provider_code, provider_url, next_action }: ActionRow): BuyerAction {
  if (next_action !== null) return parseAction(next_action);
  if (provider_code !== null) {
    const webPage = provider_url === null ? {} : { url: provider_url };
    return { nextAction: { type: "QR_CODE", code: provider_code, ...webPage }, actionSequence: 1 };
  }
  if (provider_url !== null)
    return { nextAction: { type: "REDIRECT", url: provider_url }, actionSequence: 1 };
  return noAction;
}

function parseAction(text: string): BuyerAction {
  const { sequence, expiresAt, ...fields } = JSON.parse(text) as NextAction & {
    readonly sequence: number;
    readonly expiresAt?: string;
  };
  const lifetime = expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) };
  return { nextAction: { ...fields, ...lifetime }, actionSequence: sequence };
}
