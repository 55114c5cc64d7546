import { Type } from "typebox";
import { NextCursor, PageRequest, windowOf } from "../api/page.ts";
import { described, Id, OneOf, Time, toTime, type Meanings } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { isRefusal } from "../core/result.ts";
import { listRegistrations } from "./registration.sql.ts";
import { statusOf, type Registration, type RegistrationStatus, type WalletStatus } from "./registration.ts";

const registrationStatuses: Meanings<RegistrationStatus> = {
  PROCESSING: "Not every wallet has decided yet.",
  COMPLETED: "Every wallet has decided, and one has accepted or none had to.",
  REJECTED: "No wallet has accepted.",
};

const walletStatuses: Meanings<WalletStatus> = {
  PROCESSING: "It has not decided yet.",
  APPROVED: "It has accepted.",
  REJECTED: "It has not accepted.",
  NOT_NEEDED: "It asks for no registration.",
};

export const viewStores = view({
  name: "stores",
  summary: "Lists the merchants and stores that were registered with wallets, the newest first.",
  right: "stores.read",

  request: Type.Object(PageRequest),
  response: Type.Object({
    stores: Type.Array(
      Type.Object(
        {
          registrationId: described(Id, "Our name for the registration."),
          registrationRequestId: described(Id, "Your own name for it."),
          referenceMerchantId: Type.String({ maxLength: 64, description: "The merchant, in your system." }),
          referenceStoreId: Type.Optional(
            Type.String({ maxLength: 64, description: "The store; absent for the merchant itself." }),
          ),
          storeName: Type.Optional(Type.String({ maxLength: 256, description: "What it is called." })),
          productCodes: Type.Array(Type.String({ maxLength: 64 }), {
            description: "What kinds of payment it takes.",
          }),
          registrationStatus: OneOf(registrationStatuses, "Where it stands as a whole."),
          createdTime: described(Time, "When it was asked for."),
          wallets: Type.Array(
            Type.Object({
              wallet: Type.String({ maxLength: 32, description: "The wallet." }),
              walletStatus: OneOf(walletStatuses, "What it has decided."),
              rejectReasons: Type.Array(Type.String({ maxLength: 256 }), { description: "Why not." }),
            }),
            { description: "What each wallet has decided." },
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
          wallets: [{ wallet: "sandbox-wallet", walletStatus: "APPROVED", rejectReasons: [] }],
        },
      ],
    },
  },

  async find(call, request) {
    const window = windowOf(request);
    if (isRefusal(window)) return window;
    const found = await listRegistrations(call.tx, call, window);
    return pageOf(found, window, ({ registrationId }) => registrationId);
  },

  answer(page: Page<Registration>) {
    return { code: "SUCCESS", stores: page.items.map(summaryOf), ...toNext(page) };
  },
});

function summaryOf(registration: Registration) {
  const { referenceStoreId, storeInfo, wallets } = registration;
  const storeName = storeInfo?.["storeName"];
  return {
    registrationId: registration.registrationId,
    registrationRequestId: registration.registrationRequestId,
    referenceMerchantId: registration.referenceMerchantId,
    ...(referenceStoreId !== undefined && { referenceStoreId }),
    ...(typeof storeName === "string" && { storeName }),
    productCodes: [...registration.productCodes],
    registrationStatus: statusOf(registration),
    createdTime: toTime(registration.createdAt),
    wallets: wallets.map(({ connector, status, rejectReasons }) => ({
      wallet: connector,
      walletStatus: status,
      rejectReasons: [...rejectReasons],
    })),
  };
}
