import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import { withDescription, Id, OneOf, Time, toTime, type Meanings } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { listRegistrations } from "./registration.sql.ts";
import {
  registrationStatusOf,
  type Registration,
  type RegistrationStatus,
  type ProviderStatus,
} from "./registration.ts";

const registrationStatuses: Meanings<RegistrationStatus> = {
  PROCESSING: "Not all payment providers have decided yet.",
  COMPLETED:
    "All payment providers have decided, and at least one has accepted or none requires a registration.",
  REJECTED: "No payment provider has accepted.",
};

const providerStatuses: Meanings<ProviderStatus> = {
  PROCESSING: "The payment provider has not decided yet.",
  APPROVED: "The payment provider has accepted.",
  REJECTED: "The payment provider has rejected.",
  NOT_NEEDED: "The payment provider requires no registration.",
};

export const viewStores = view({
  name: "stores",
  summary: "Lists the merchants and stores that were registered with payment providers, the newest first.",
  permission: "stores.read",

  request: Type.Object(PageRequest),
  response: Type.Object({
    stores: Type.Array(
      Type.Object(
        {
          registrationId: withDescription(Id, "Our id of the registration."),
          registrationRequestId: withDescription(Id, "Your own id of the registration."),
          referenceMerchantId: Type.String({ maxLength: 64, description: "Your own id of the merchant." }),
          referenceStoreId: Type.Optional(
            Type.String({
              maxLength: 64,
              description: "Your own id of the store; absent for the merchant itself.",
            }),
          ),
          storeName: Type.Optional(Type.String({ maxLength: 256, description: "The name of the store." })),
          productCodes: Type.Array(Type.String({ maxLength: 64 }), {
            description: "The kinds of payment that the store accepts.",
          }),
          registrationStatus: OneOf(registrationStatuses, "The overall status."),
          createdTime: withDescription(Time, "When the registration was requested."),
          providers: Type.Array(
            Type.Object({
              provider: Type.String({ maxLength: 32, description: "The connector of the payment provider." }),
              providerStatus: OneOf(providerStatuses, "The payment provider's decision."),
              rejectReasons: Type.Array(Type.String({ maxLength: 256 }), {
                description: "The reasons for the rejection.",
              }),
            }),
            { description: "The decision of each payment provider." },
          ),
        },
        { title: "StoreSummary", description: "A registration of a merchant or a store." },
      ),
      { description: "The registrations, the newest first." },
    ),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: {},
    response: {
      stores: [
        {
          registrationId: "20261115093000123047606530017744120",
          registrationRequestId: "registration-1",
          referenceMerchantId: "m-1",
          referenceStoreId: "store-1",
          storeName: "Coffee Lab, Harbour",
          productCodes: ["IN_STORE_PAYMENT"],
          registrationStatus: "COMPLETED",
          createdTime: "2026-11-15T09:30:00+00:00",
          providers: [{ provider: "sandbox-wallet", providerStatus: "APPROVED", rejectReasons: [] }],
        },
      ],
    },
  },

  async find(call, request) {
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const found = await listRegistrations(call.tx, call, window);
    return pageOf(found, window, ({ registrationId }) => registrationId);
  },

  answer(page: Page<Registration>) {
    return { code: "SUCCESS", stores: page.items.map(summaryOf), ...toNextCursor(page) };
  },
});

function summaryOf(registration: Registration) {
  const { referenceStoreId, storeInfo, providers } = registration;
  const storeName = storeInfo?.["storeName"];
  return {
    registrationId: registration.registrationId,
    registrationRequestId: registration.registrationRequestId,
    referenceMerchantId: registration.referenceMerchantId,
    ...(referenceStoreId !== undefined && { referenceStoreId }),
    ...(typeof storeName === "string" && { storeName }),
    productCodes: [...registration.productCodes],
    registrationStatus: registrationStatusOf(registration),
    createdTime: toTime(registration.createdAt),
    providers: providers.map(({ connector, status, rejectReasons }) => ({
      provider: connector,
      providerStatus: status,
      rejectReasons: [...rejectReasons],
    })),
  };
}
