import { setTimeout as wait } from "node:timers/promises";
import { readNextAction, type NextAction } from "../../../../server/src/providers/next-action.ts";
import { ensure, NotObservable, requiredCase, type Case, type CaseGroup } from "../conformance-case.ts";
import {
  call,
  buildSubmitRequest,
  inquireOrder,
  readOrder,
  requireState,
  requireSuccess,
  type Fields,
  type ProviderContext,
  type ProviderOrder,
} from "./provider-context.ts";

/** Returns the next action of an open order, which the gateway must be able to read. */
export function requireNextAction({ fields }: ProviderOrder): NextAction {
  const action = readNextAction(fields["nextAction"]);
  ensure(
    action !== undefined,
    `nextAction is not an action of the protocol: ${JSON.stringify(fields["nextAction"])?.slice(0, 100)}.`,
  );
  return action;
}

/** The faults with which the sandbox provider chooses each type of action. */
const faultsByType = {
  REDIRECT: "action-redirect",
  APP: "action-app",
  QR_CODE: "action-code",
  IN_PAGE: "action-in-page",
  WAIT: "action-wait",
} as const satisfies Record<NextAction["type"], string>;

/** The lifetime of a code at the sandbox provider: times of the protocol have whole seconds. */
const codeLifetimeMs = 2_000;

interface OpenedOrder {
  readonly order: ProviderOrder;
  readonly request: Fields;
}

async function openOrder(
  context: ProviderContext,
  type: NextAction["type"],
  callbackUrl?: string,
): Promise<OpenedOrder> {
  context.buyer.requireControl();
  const request = buildSubmitRequest(context, callbackUrl === undefined ? {} : { callbackUrl });
  const { reference, paymentId } = request;
  const kind = faultsByType[type];
  await context.buyer.control("faults", { kind, delayMs: codeLifetimeMs, match: { paymentId } });
  const answer = await call(context, "submit", request);
  requireSuccess(answer, "submit");
  return { order: readOrder(answer, reference), request };
}

export const nextActionCases: CaseGroup<ProviderContext> = {
  name: "Next actions",
  cases: [
    typeCase("REDIRECT", "its page", "Answer nextAction with type REDIRECT and url."),
    typeCase("APP", "its app", "Answer nextAction with type APP, appUrl, and url if there is a web page."),
    typeCase("WAIT", "a confirmation elsewhere", "Answer nextAction with type WAIT."),
    typeCase(
      "IN_PAGE",
      "fields in a frame",
      "Answer nextAction with type IN_PAGE, an https frameUrl, and clientData of at most 4096 printable characters.",
    ),
    requiredCase(
      "action-frame",
      "the page of a frame permits the checkout page to show it",
      "Permit the origin of the callbackUrl in frame-ancestors of the page's content security policy, and send no X-Frame-Options.",
      async (context) => {
        const { order, request } = await openOrder(context, "IN_PAGE");
        const action = requireNextAction(order);
        if (action.type !== "IN_PAGE") throw new NotObservable("the order has no fields in a frame.");
        const { headers } = await fetch(action.frameUrl);
        const { origin } = new URL(String(request["callbackUrl"]));
        const policy = headers.get("content-security-policy") ?? "";
        const [, ancestors = origin] = /frame-ancestors ([^;]*)/.exec(policy) ?? [];
        ensure(ancestors.split(" ").includes(origin), `frame-ancestors is ${ancestors}, without ${origin}.`);
        ensure(!headers.has("x-frame-options"), "The page has X-Frame-Options.");
      },
    ),
    requiredCase(
      "action-repeated",
      "inquiries report the same action as the submit",
      "Report another nextAction only with a higher sequence: the gateway ignores it otherwise.",
      async (context) => {
        const request = buildSubmitRequest(context);
        const order = readOrder(await call(context, "submit", request), request.reference);
        const reports = [
          await inquireOrder(context, request.reference),
          await inquireOrder(context, request.reference),
        ];
        for (const { fields } of reports)
          ensure(
            isSameAction(fields, order.fields) || isNewer(fields, order.fields),
            "The order has another nextAction, and no higher sequence.",
          );
      },
    ),
    requiredCase(
      "action-renewed",
      "after the expiryTime of a code, an inquiry brings another code with a higher sequence",
      "Renew the code of an open order, with a later expiryTime, and increase the order's sequence.",
      async (context) => {
        const { order } = await openOrder(context, "QR_CODE");
        const first = requireNextAction(order);
        if (first.type !== "QR_CODE" || !first.expiresAt)
          throw new NotObservable("the order has no code that expires.");
        await wait(Math.max(0, first.expiresAt.getTime() - Date.now()) + 1_000);
        const found = await inquireOrder(context, order.reference);
        requireState(found, "OPEN");
        const next = requireNextAction(found);
        ensure(next.type === "QR_CODE" && next.code !== first.code, "The inquiry reports the expired code.");
        ensure(
          next.expiresAt !== undefined && next.expiresAt > first.expiresAt,
          "The expiryTime of the next code is not later.",
        );
        ensure(isNewer(found.fields, order.fields), "The sequence did not increase.");
      },
    ),
  ],
};

function typeCase(type: NextAction["type"], meaning: string, fix: string): Case<ProviderContext> {
  return requiredCase(
    `action-${type.toLowerCase().replace("_", "-")}`,
    `an order whose buyer pays by ${meaning} says so until the buyer has paid`,
    `${fix} Without it, leave nextAction out.`,
    async (context) => {
      const { order } = await openOrder(context, type);
      requireState(order, "OPEN");
      const action = requireNextAction(order);
      ensure(action.type === type, `The type is ${action.type}.`);
      await context.buyer.decide(order, "approve");
      const paid = await inquireOrder(context, order.reference);
      requireState(paid, "PAID");
      ensure(paid.fields["nextAction"] === undefined, "A paid order has a nextAction.");
    },
  );
}

function isSameAction(left: Fields, right: Fields): boolean {
  return JSON.stringify(left["nextAction"]) === JSON.stringify(right["nextAction"]);
}

function isNewer(later: Fields, earlier: Fields): boolean {
  return Number(later["sequence"]) > Number(earlier["sequence"]);
}
