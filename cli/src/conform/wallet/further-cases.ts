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
  type WalletAnswer,
  type WalletWorld,
} from "./wallet-world.ts";

/** Calls of what a wallet need not offer; one that does not offer it has nothing more to show. */
async function offered(world: WalletWorld, operation: string, fields: Fields): Promise<WalletAnswer> {
  const answer = await call(world, operation, fields);
  if (answer.resultCode === "NO_INTERFACE_DEF")
    throw new NotSeen(`the wallet does not offer it (${operation} is NO_INTERFACE_DEF).`);
  return answer;
}

function part(answer: WalletAnswer, name: string): Fields {
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

export const registrations: Group<WalletWorld> = {
  name: "Registrations",
  cases: [
    must(
      "register",
      "a store that registers gets a state, which an inquiry tells as well",
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
      "a registration that comes again is the same one",
      "Keep one registration per reference, for ever.",
      async (world) => {
        const fields = newRegistration();
        const [one, other] = [
          await offered(world, "registrations/register", fields),
          await offered(world, "registrations/register", fields),
        ];
        const [first, again] = [part(one, "registration"), part(other, "registration")];
        demand(
          first["walletRegistrationId"] === again["walletRegistrationId"],
          "The repeat made a second one.",
        );
      },
    ),
    must(
      "register-unknown",
      "a registration that never came is RECORD_NOT_FOUND",
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
}: WalletWorld): Fields & { readonly authState: string; readonly reference: string } {
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

/** A consent to which the buyer has agreed, and the code that is exchanged for the agreement. */
async function agreed(
  world: WalletWorld,
): Promise<{ readonly reference: string; readonly authCode: string }> {
  const consent = newConsent(world);
  await offered(world, "authorizations/authorize", consent);
  const { redirectUrl } = await world.buyer.control(`authorizations/${consent.authState}/agree`);
  const authCode = URL.parse(String(redirectUrl))?.searchParams.get("authCode") ?? "";
  demand(authCode !== "", "The buyer came back without an authCode.");
  return { reference: consent.reference, authCode };
}

async function exchanged(
  world: WalletWorld,
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
    "The same code again gave another agreement.",
  );
  return { reference, agreementToken };
}

export const consents: Group<WalletWorld> = {
  name: "Consents",
  cases: [
    must(
      "authorize",
      "a consent is opened with a page for the buyer, and is the same when it comes again",
      "Answer S with authorization: reference, walletAuthorizationId, state OPEN, url; one per reference, for ever.",
      async (world) => {
        const consent = newConsent(world);
        const first = part(await offered(world, "authorizations/authorize", consent), "authorization");
        demand(first["state"] === "OPEN" && typeof first["url"] === "string", "It is not OPEN with a url.");
        const again = part(await call(world, "authorizations/authorize", consent), "authorization");
        demand(
          again["walletAuthorizationId"] === first["walletAuthorizationId"],
          "The repeat opened a second one.",
        );
      },
    ),
    must(
      "consent-unknown",
      "a consent that was never asked for is AUTHORIZATION_NOT_EXIST",
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
      "a consent that was revoked is over",
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
      "an agreement pays at once, and no more when it is revoked",
      "An order by an agreement is PAID; when the agreement has ended it is DECLINED, AUTHORIZATION_NOT_EXIST.",
      async (world) => {
        const { reference, agreementToken } = await exchanged(world);
        const before = await submitted(world, { agreementToken });
        demand(before.state === "PAID", `The order is ${String(before.state)}, and not PAID.`);
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

export const disputes: Group<WalletWorld> = {
  name: "Disputes",
  cases: [
    must(
      "dispute-unknown",
      "a dispute that never was is RECORD_NOT_FOUND",
      "Answer F RECORD_NOT_FOUND.",
      async (world) =>
        demandCode(
          await offered(world, "disputes/inquire-dispute", { walletDisputeId: newRequestId("dispute") }),
          "RECORD_NOT_FOUND",
        ),
    ),
    must(
      "dispute-accepted",
      "a dispute is told by a callback, and accepted once",
      "POST the dispute to the order's callbackUrl; one answer per answerReference, for ever.",
      (world) => answerTwice(world, "accept-dispute", { reason: "MERCHANT_ACCEPTED" }, "ACCEPTED"),
    ),
    must(
      "dispute-defended",
      "a dispute is defended once, with a document of 100 kB",
      "Take bodies of up to 1.5 MiB for defend-dispute; one answer per answerReference, for ever.",
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

/** Answers a new dispute, and once more as if the answer had been lost; then asks. */
async function answerTwice(
  world: WalletWorld,
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

function demandDispute(answer: WalletAnswer, state: string): void {
  const { state: told } = part(answer, "dispute");
  demand(told === state, `The dispute is ${String(told)}, and not ${state}.`);
}

/** A payment whose buyer disputes it: the wallet's name for the dispute, as a callback tells it. */
async function disputed(world: WalletWorld): Promise<unknown> {
  const address = world.callbacks.open("S");
  const order = await paid(world, { callbackUrl: address.url });
  await world.buyer.control(`payments/${order.paymentId}/dispute`);
  const told = (await address.until(2, world.patienceMs)).find(({ json }) => json["dispute"] !== undefined);
  demand(told !== undefined, "No callback with a dispute came.");
  return (told.json["dispute"] as Fields)["walletDisputeId"];
}
