import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, requiredCase, NotObservable, type CaseGroup } from "../conformance-case.ts";
import {
  call,
  requireCode,
  requireSuccess,
  submitOrder,
  type Fields,
  type ProviderAnswer,
  type ProviderContext,
} from "./provider-context.ts";

/** Calls an optional operation. Throws `NotObservable` if the provider does not offer the operation. */
export async function callOptional(
  context: ProviderContext,
  operation: string,
  fields: Fields,
): Promise<ProviderAnswer> {
  const answer = await call(context, operation, fields);
  if (answer.resultCode === "NO_INTERFACE_DEF")
    throw new NotObservable(`the provider does not offer it (${operation} is NO_INTERFACE_DEF).`);
  return answer;
}

export function readRecord(answer: ProviderAnswer, name: string): Fields {
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

export const registrationCases: CaseGroup<ProviderContext> = {
  name: "Registrations",
  cases: [
    requiredCase(
      "register",
      "a registered store gets a state, which an inquiry returns as well",
      "Answer S with registration: reference, providerRegistrationId, state.",
      async (context) => {
        const fields = newRegistration();
        const answer = await callOptional(context, "registrations/register", fields);
        requireSuccess(answer, "register");
        const { state, providerRegistrationId } = readRecord(answer, "registration");
        ensure(
          ["PROCESSING", "APPROVED", "REJECTED"].includes(String(state)),
          `The state is ${String(state)}.`,
        );
        const found = await call(context, "registrations/inquire-registration", {
          reference: fields["reference"],
        });
        ensure(
          readRecord(found, "registration")["providerRegistrationId"] === providerRegistrationId,
          "The inquiry does not find it.",
        );
      },
    ),
    requiredCase(
      "register-repeated",
      "a repeated registration is the same registration",
      "Store one registration per reference permanently.",
      async (context) => {
        const fields = newRegistration();
        const [firstAnswer, repeatedAnswer] = [
          await callOptional(context, "registrations/register", fields),
          await callOptional(context, "registrations/register", fields),
        ];
        const [registration, repeatedRegistration] = [
          readRecord(firstAnswer, "registration"),
          readRecord(repeatedAnswer, "registration"),
        ];
        ensure(
          registration["providerRegistrationId"] === repeatedRegistration["providerRegistrationId"],
          "The repeat created a second registration.",
        );
      },
    ),
    requiredCase(
      "register-unknown",
      "an unknown registration is RECORD_NOT_FOUND",
      "Answer F RECORD_NOT_FOUND.",
      async (context) =>
        requireCode(
          await callOptional(context, "registrations/inquire-registration", {
            reference: newRequestId("conform"),
          }),
          "RECORD_NOT_FOUND",
        ),
    ),
  ],
};

function newConsent({
  callbacks,
}: ProviderContext): Fields & { readonly authState: string; readonly reference: string } {
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
async function approveConsent(
  context: ProviderContext,
): Promise<{ readonly reference: string; readonly authCode: string }> {
  const consent = newConsent(context);
  await callOptional(context, "authorizations/authorize", consent);
  const { redirectUrl } = await context.buyer.control(`authorizations/${consent.authState}/agree`);
  const authCode = URL.parse(String(redirectUrl))?.searchParams.get("authCode") ?? "";
  ensure(authCode !== "", "The buyer returned without an authCode.");
  return { reference: consent.reference, authCode };
}

async function exchangeConsentCode(
  context: ProviderContext,
): Promise<{ readonly reference: string; readonly agreementToken: string }> {
  const { reference, authCode } = await approveConsent(context);
  const exchangeRequest = { authCode, merchantId: "CONFORM_MERCHANT" };
  const answer = await call(context, "authorizations/exchange-code", exchangeRequest);
  requireSuccess(answer, "exchange-code");
  const repeatedAnswer = await call(context, "authorizations/exchange-code", exchangeRequest);
  const { agreementToken } = readRecord(answer, "agreement");
  ensure(typeof agreementToken === "string" && agreementToken !== "", "agreementToken is missing.");
  ensure(
    readRecord(repeatedAnswer, "agreement")["agreementToken"] === agreementToken,
    "The same code returned another agreement when it was repeated.",
  );
  return { reference, agreementToken };
}

export const consentCases: CaseGroup<ProviderContext> = {
  name: "Consents",
  cases: [
    requiredCase(
      "authorize",
      "a consent is created with a page for the buyer, and a repeated request returns the same consent",
      "Answer S with authorization: reference, providerAuthorizationId, state OPEN, url; store one per reference permanently.",
      async (context) => {
        const consent = newConsent(context);
        const authorization = readRecord(
          await callOptional(context, "authorizations/authorize", consent),
          "authorization",
        );
        ensure(
          authorization["state"] === "OPEN" && typeof authorization["url"] === "string",
          "It is not OPEN with a url.",
        );
        const repeatedAuthorization = readRecord(
          await call(context, "authorizations/authorize", consent),
          "authorization",
        );
        ensure(
          repeatedAuthorization["providerAuthorizationId"] === authorization["providerAuthorizationId"],
          "The repeat created a second consent.",
        );
      },
    ),
    requiredCase(
      "consent-unknown",
      "an unknown consent is AUTHORIZATION_NOT_EXIST",
      "Answer F AUTHORIZATION_NOT_EXIST.",
      async (context) =>
        requireCode(
          await callOptional(context, "authorizations/inquire-authorization", {
            reference: newRequestId("conform"),
          }),
          "AUTHORIZATION_NOT_EXIST",
        ),
    ),
    requiredCase(
      "consent-revoked",
      "a revoked consent has ended",
      "Answer S with authorization REVOKED, now and at every inquiry.",
      async (context) => {
        const consent = newConsent(context);
        await callOptional(context, "authorizations/authorize", consent);
        const revoked = readRecord(
          await call(context, "authorizations/revoke", { reference: consent.reference }),
          "authorization",
        );
        ensure(revoked["state"] === "REVOKED", `It is ${String(revoked["state"])}.`);
      },
    ),
    requiredCase(
      "agreement-pays",
      "an agreement pays at once, and no longer after it is revoked",
      "An order with an agreement is PAID; after the end of the agreement it is DECLINED, AUTHORIZATION_NOT_EXIST.",
      async (context) => {
        const { reference, agreementToken } = await exchangeConsentCode(context);
        const orderBefore = await submitOrder(context, { agreementToken });
        ensure(orderBefore.state === "PAID", `The order is ${String(orderBefore.state)}, instead of PAID.`);
        await call(context, "authorizations/revoke", { reference });
        const orderAfter = await submitOrder(context, { agreementToken });
        ensure(
          orderAfter.state === "DECLINED",
          `After the end of the agreement the order is ${String(orderAfter.state)}.`,
        );
      },
    ),
    requiredCase(
      "code-of-another-merchant",
      "a code is exchanged for its own merchant only",
      "Answer F INVALID_AUTHCODE for another merchantId.",
      async (context) => {
        const { authCode } = await approveConsent(context);
        const answer = await call(context, "authorizations/exchange-code", {
          authCode,
          merchantId: "ANOTHER_MERCHANT",
        });
        requireCode(answer, "INVALID_AUTHCODE");
      },
    ),
  ],
};
