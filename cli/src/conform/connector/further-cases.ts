import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, must, NotSeen, type Group } from "../case.ts";
import {
  call,
  demandCode,
  demandSuccess,
  paid,
  submitted,
  type Fields,
  type ProviderAnswer,
  type ProviderWorld,
} from "./provider-world.ts";

/** Calls an optional operation. Throws `NotSeen` if the provider does not offer the operation. */
async function offered(world: ProviderWorld, operation: string, fields: Fields): Promise<ProviderAnswer> {
  const answer = await call(world, operation, fields);
  if (answer.resultCode === "NO_INTERFACE_DEF")
    throw new NotSeen(`the provider does not offer it (${operation} is NO_INTERFACE_DEF).`);
  return answer;
}

function part(answer: ProviderAnswer, name: string): Fields {
  return (answer.json[name] ?? {}) as Fields;
}

function newRegistration(): Fields {
  return {
    reference: newRequestId("conform"),
    registrationRequestId: newRequestId("store"),
    productCodes: ["IN_STORE_PAYMENT"],
    merchant: { merchantDisplayName: "Coffee Lab", referenceMerchantId: "coffee-lab" },
    store: { referenceStoreId: "harbour", storeName: "Coffee Lab, Harbour" },
  };
}

export const registrations: Group<ProviderWorld> = {
  name: "Registrations",
  cases: [
    must(
      "register",
      "a registered store gets a state, which an inquiry returns as well",
      "Answer S with registration: reference, walletRegistrationId, state.",
      async (world) => {
        const fields = newRegistration();
        const answer = await offered(world, "registrations/register", fields);
        demandSuccess(answer, "register");
        const { state, walletRegistrationId } = part(answer, "registration");
        demand(
          ["PROCESSING", "APPROVED", "REJECTED"].includes(String(state)),
          `The state is ${String(state)}.`,
        );
        const found = await call(world, "registrations/inquire-registration", {
          reference: fields["reference"],
        });
        demand(
          part(found, "registration")["walletRegistrationId"] === walletRegistrationId,
          "The inquiry does not find it.",
        );
      },
    ),
    must(
      "register-repeated",
      "a repeated registration is the same registration",
      "Store one registration per reference permanently.",
      async (world) => {
        const fields = newRegistration();
        const [one, other] = [
          await offered(world, "registrations/register", fields),
          await offered(world, "registrations/register", fields),
        ];
        const [first, again] = [part(one, "registration"), part(other, "registration")];
        demand(
          first["walletRegistrationId"] === again["walletRegistrationId"],
          "The repeat created a second registration.",
        );
      },
    ),
    must(
      "register-unknown",
      "an unknown registration is RECORD_NOT_FOUND",
      "Answer F RECORD_NOT_FOUND.",
      async (world) =>
        demandCode(
          await offered(world, "registrations/inquire-registration", { reference: newRequestId("conform") }),
          "RECORD_NOT_FOUND",
        ),
    ),
  ],
};

function newConsent({
  callbacks,
}: ProviderWorld): Fields & { readonly authState: string; readonly reference: string } {
  return {
    reference: newRequestId("conform"),
    merchantId: "CONFORM_MERCHANT",
    merchantName: "Coffee Lab",
    scopes: ["AGREEMENT_PAY"],
    authState: newRequestId("state"),
    redirectUrl: "https://shop.example/agreed",
    expiryTime: toWireTime(Date.now() + 600_000),
    callbackUrl: callbacks.open("S").url,
  };
}

/**
 * Creates a consent that the buyer approves. Returns its reference and the code that the gateway exchanges for the
 * agreement.
 */
async function agreed(
  world: ProviderWorld,
): Promise<{ readonly reference: string; readonly authCode: string }> {
  const consent = newConsent(world);
  await offered(world, "authorizations/authorize", consent);
  const { redirectUrl } = await world.buyer.control(`authorizations/${consent.authState}/agree`);
  const authCode = URL.parse(String(redirectUrl))?.searchParams.get("authCode") ?? "";
  demand(authCode !== "", "The buyer returned without an authCode.");
  return { reference: consent.reference, authCode };
}

async function exchanged(
  world: ProviderWorld,
): Promise<{ readonly reference: string; readonly agreementToken: string }> {
  const { reference, authCode } = await agreed(world);
  const exchange = { authCode, merchantId: "CONFORM_MERCHANT" };
  const answer = await call(world, "authorizations/exchange-code", exchange);
  demandSuccess(answer, "exchange-code");
  const again = await call(world, "authorizations/exchange-code", exchange);
  const { agreementToken } = part(answer, "agreement");
  demand(typeof agreementToken === "string" && agreementToken !== "", "agreementToken is missing.");
  demand(
    part(again, "agreement")["agreementToken"] === agreementToken,
    "The same code returned another agreement when it was repeated.",
  );
  return { reference, agreementToken };
}

export const consents: Group<ProviderWorld> = {
  name: "Consents",
  cases: [
    must(
      "authorize",
      "a consent is created with a page for the buyer, and a repeated request returns the same consent",
      "Answer S with authorization: reference, walletAuthorizationId, state OPEN, url; store one per reference permanently.",
      async (world) => {
        const consent = newConsent(world);
        const first = part(await offered(world, "authorizations/authorize", consent), "authorization");
        demand(first["state"] === "OPEN" && typeof first["url"] === "string", "It is not OPEN with a url.");
        const again = part(await call(world, "authorizations/authorize", consent), "authorization");
        demand(
          again["walletAuthorizationId"] === first["walletAuthorizationId"],
          "The repeat created a second consent.",
        );
      },
    ),
    must(
      "consent-unknown",
      "an unknown consent is AUTHORIZATION_NOT_EXIST",
      "Answer F AUTHORIZATION_NOT_EXIST.",
      async (world) =>
        demandCode(
          await offered(world, "authorizations/inquire-authorization", {
            reference: newRequestId("conform"),
          }),
          "AUTHORIZATION_NOT_EXIST",
        ),
    ),
    must(
      "consent-revoked",
      "a revoked consent has ended",
      "Answer S with authorization REVOKED, now and at every inquiry.",
      async (world) => {
        const consent = newConsent(world);
        await offered(world, "authorizations/authorize", consent);
        const revoked = part(
          await call(world, "authorizations/revoke", { reference: consent.reference }),
          "authorization",
        );
        demand(revoked["state"] === "REVOKED", `It is ${String(revoked["state"])}.`);
      },
    ),
    must(
      "agreement-pays",
      "an agreement pays at once, and no longer after it is revoked",
      "An order with an agreement is PAID; after the end of the agreement it is DECLINED, AUTHORIZATION_NOT_EXIST.",
      async (world) => {
        const { reference, agreementToken } = await exchanged(world);
        const before = await submitted(world, { agreementToken });
        demand(before.state === "PAID", `The order is ${String(before.state)}, instead of PAID.`);
        await call(world, "authorizations/revoke", { reference });
        const after = await submitted(world, { agreementToken });
        demand(
          after.state === "DECLINED",
          `After the end of the agreement the order is ${String(after.state)}.`,
        );
      },
    ),
    must(
      "code-of-another-merchant",
      "a code is exchanged for its own merchant only",
      "Answer F INVALID_AUTHCODE for another merchantId.",
      async (world) => {
        const { authCode } = await agreed(world);
        const answer = await call(world, "authorizations/exchange-code", {
          authCode,
          merchantId: "ANOTHER_MERCHANT",
        });
        demandCode(answer, "INVALID_AUTHCODE");
      },
    ),
  ],
};

export const disputes: Group<ProviderWorld> = {
  name: "Disputes",
  cases: [
    must(
      "dispute-unknown",
      "an unknown dispute is RECORD_NOT_FOUND",
      "Answer F RECORD_NOT_FOUND.",
      async (world) =>
        demandCode(
          await offered(world, "disputes/inquire-dispute", { walletDisputeId: newRequestId("dispute") }),
          "RECORD_NOT_FOUND",
        ),
    ),
    must(
      "dispute-accepted",
      "a dispute is sent in a callback, and accepted once",
      "POST the dispute to the order's callbackUrl; store one answer per answerReference permanently.",
      (world) => answerTwice(world, "accept-dispute", { reason: "MERCHANT_ACCEPTED" }, "ACCEPTED"),
    ),
    must(
      "dispute-defended",
      "a dispute is defended once, with a document of 100 kB",
      "Accept bodies of up to 1.5 MiB for defend-dispute; store one answer per answerReference permanently.",
      (world) =>
        answerTwice(
          world,
          "defend-dispute",
          { reason: "DEFENDED", evidence: "x".repeat(100_000), evidenceFormat: "PDF" },
          "DEFENDED",
        ),
    ),
  ],
};

/** Answers a new dispute, repeats the answer as if the response was lost, and then sends an inquiry. */
async function answerTwice(
  world: ProviderWorld,
  operation: "accept-dispute" | "defend-dispute",
  given: Fields,
  state: string,
): Promise<void> {
  const walletDisputeId = await disputed(world);
  const fields = { walletDisputeId, answerReference: newRequestId("answer"), ...given };
  for (let time = 0; time < 2; time += 1) {
    const answer = await offered(world, `disputes/${operation}`, fields);
    demandSuccess(answer, operation);
    demandDispute(answer, state);
  }
  demandDispute(await call(world, "disputes/inquire-dispute", { walletDisputeId }), state);
}

function demandDispute(answer: ProviderAnswer, state: string): void {
  const { state: told } = part(answer, "dispute");
  demand(told === state, `The dispute is ${String(told)}, and not ${state}.`);
}

/** A payment that its buyer disputes; returns the provider's dispute id from the callback. */
async function disputed(world: ProviderWorld): Promise<unknown> {
  const address = world.callbacks.open("S");
  const order = await paid(world, { callbackUrl: address.url });
  await world.buyer.control(`payments/${order.paymentId}/dispute`);
  const told = (await address.until(2, world.patienceMs)).find(({ json }) => json["dispute"] !== undefined);
  demand(told !== undefined, "No callback with a dispute arrived.");
  return (told.json["dispute"] as Fields)["walletDisputeId"];
}
