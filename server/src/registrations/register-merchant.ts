import { Type, type Static } from "typebox";
import { action, type Call, type ClaimResult } from "../contract/operation.ts";
import { withDescription, Id, Personal, Url } from "../contract/schemas.ts";
import { differingField } from "../core/fingerprint.ts";
import { findMissingField, requireField } from "../core/conditional-required.ts";
import { providerReference } from "../core/provider-reference.ts";
import { rejectChangedRepeat } from "../core/idempotency.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { insertLeasedJob } from "../jobs/job.sql.ts";
import { MerchantInfo, ProductCodes, StoreInfo } from "./registration-details.schema.ts";
import {
  findRegistration,
  findRegistrationByRequest,
  insertRegistration,
  listConnectorNames,
  lockLatestRegistration,
} from "./registration.sql.ts";
import { registrationRefusal, type Registration } from "./registration.ts";
import { findUrlRefusal } from "../merchants/url-rules.ts";

const RegistrationRequest = Type.Object({
  registrationRequestId: withDescription(
    Id,
    "Your own id of the registration; never reuse it for another one.",
  ),
  productCodes: ProductCodes,
  merchantInfo: MerchantInfo,
  storeInfo: Type.Optional(StoreInfo),
  registrationNotifyURL: Type.Optional(
    Url("The URL that receives the webhooks with the providers' decisions."),
  ),
  passThroughInfo: Type.Optional(Personal(2048, "JSON for the payment providers; returned in the response.")),
});

type RegistrationRequest = Static<typeof RegistrationRequest>;

const comparedFields = ["productCodes", "merchantInfo", "storeInfo"] as const;

/** Maximum size of the details: a provider accepts 64 KiB per request, which includes other fields. */
const detailsBytesMax = 60_000;

const requiredFields = [
  requireField("storeInfo", { productCodes: ["IN_STORE_PAYMENT"] }),
  requireField("merchantInfo.merchantDisplayName", {
    productCodes: ["CASHIER_PAYMENT", "AGREEMENT_PAYMENT"],
  }),
];

export const registerMerchant = action({
  path: "merchants/registration",
  summary: "Registers a merchant, or a store of a merchant, with the payment providers.",
  description:
    "`S` means that the registration is being sent to the payment providers, not that they have accepted. " +
    "Each provider's decision arrives as a webhook; `inquiryRegistrationStatus` returns it too. After a " +
    "rejection, register again with a new `registrationRequestId`. Changed details of a registered " +
    "merchant are sent in the same way.",

  request: RegistrationRequest,
  requiredFields,
  response: Type.Object({ passThroughInfo: Type.Optional(Personal(2048, "The value of the request.")) }),
  results: [
    "SUCCESS",
    "PARAM_ILLEGAL",
    "REPEAT_REQ_INCONSISTENT",
    "REPEAT_REGISTRATION",
    "ABNORMAL_REGISTRATION_STATUS",
    "UNKNOWN_EXCEPTION",
  ],
  inStore: true,
  idempotency: { keyField: "registrationRequestId", comparedFields },
  waitsForProvider: false,

  example: {
    request: {
      registrationRequestId: "store-harbour-1",
      productCodes: ["IN_STORE_PAYMENT"],
      merchantInfo: {
        referenceMerchantId: "coffee-lab",
        merchantDisplayName: "Coffee Lab",
        merchantMCC: "5814",
        registrationDetail: { legalName: "Coffee Lab Ltd", registrationNo: "HRB 12345" },
      },
      storeInfo: { referenceStoreId: "harbour", storeName: "Coffee Lab, Harbour", storeMCC: "5814" },
      registrationNotifyURL: "https://shop.example/notify",
    },
    response: {},
  },

  async claim(call, request) {
    const fingerprint = call.fingerprint(request, comparedFields);
    const earlier = await findRegistrationByRequest(call.tx, call, request.registrationRequestId);
    if (earlier) return answerRepeat(earlier, fingerprint);
    const invalid = findInvalidField(request);
    if (invalid) return refuse("PARAM_ILLEGAL", invalid);
    const { registrationNotifyURL } = request;
    const urlRefusal = findUrlRefusal(call, { notify: { registrationNotifyURL } });
    if (urlRefusal) return urlRefusal;

    const connectors = await listConnectorNames(call.tx, call.environment);
    const registration = newRegistration(call, request, { fingerprint, connectors });
    const latest = await lockLatestRegistration(call.tx, call, registration, request.productCodes);
    if (latest?.registrationRequestId === request.registrationRequestId)
      return answerRepeat(latest, fingerprint);
    const isSame = latest && differingField(comparedFields, latest.fingerprint, fingerprint) === undefined;
    const refused = registrationRefusal(latest, isSame ?? false, connectors);
    if (refused) return refuse(refused);
    if (await insertRegistration(call.tx, registration)) return leaseJob(call, registration);
    // This request lost a race: a request for another merchant took this id.
    const otherRegistration = await findRegistrationByRequest(call.tx, call, request.registrationRequestId);
    return otherRegistration ? answerRepeat(otherRegistration, fingerprint) : refuse("UNKNOWN_EXCEPTION");
  },

  async read(call, registration) {
    return (await findRegistration(call.tx, call, registration.registrationId)) ?? registration;
  },

  answer({ passThroughInfo }: Registration) {
    return { code: "SUCCESS", ...(passThroughInfo && { passThroughInfo }) };
  },
});

function answerRepeat(
  registration: Registration,
  fingerprint: Buffer,
): ClaimResult<Registration> | Refusal<"REPEAT_REQ_INCONSISTENT"> {
  return rejectChangedRepeat(comparedFields, registration, fingerprint) ?? { record: registration };
}

function findInvalidField(
  request: RegistrationRequest,
): { readonly field: string; readonly detail: string } | undefined {
  const { merchantInfo, storeInfo, passThroughInfo } = request;
  const missing = findMissingField(requiredFields, request);
  if (missing) return { field: missing, detail: `${missing} is missing.` };
  const detailsBytes = Buffer.byteLength(JSON.stringify({ merchantInfo, storeInfo, passThroughInfo }));
  if (detailsBytes > detailsBytesMax)
    return { field: "merchantInfo", detail: `The details exceed ${detailsBytesMax} bytes in total.` };
  return undefined;
}

interface RegistrationContext {
  readonly fingerprint: Buffer;
  readonly connectors: readonly string[];
}

function newRegistration(
  call: Call,
  request: RegistrationRequest,
  { fingerprint, connectors }: RegistrationContext,
): Registration {
  const { environment, bucket, clientId } = call;
  const { registrationRequestId, productCodes, merchantInfo, storeInfo } = request;
  const reference = (connector: string): string =>
    providerReference(environment, clientId, `registration ${connector}`, registrationRequestId);
  return {
    bucket,
    clientId,
    registrationId: call.newId("registration"),
    registrationRequestId,
    referenceMerchantId: merchantInfo.referenceMerchantId,
    referenceStoreId: productCodes.includes("IN_STORE_PAYMENT") ? storeInfo?.referenceStoreId : undefined,
    productCodes: [...new Set(productCodes)],
    merchantInfo,
    storeInfo,
    notifyUrl: request.registrationNotifyURL,
    passThroughInfo: request.passThroughInfo,
    fingerprint,
    sequence: 1,
    createdAt: call.now,
    providers: connectors.map((connector) => ({
      connector,
      status: "PROCESSING",
      rejectReasons: [],
      providerRegistrationId: undefined,
      reference: reference(connector),
      acceptedAt: undefined,
    })),
  };
}

async function leaseJob(call: Call, registration: Registration): Promise<ClaimResult<Registration>> {
  const { bucket, clientId, registrationId: subjectId } = registration;
  const leased = await insertLeasedJob(call.tx, { bucket, clientId, subjectId, job: "send-registration" });
  return { record: registration, leasedJob: { ...leased, record: registration } };
}
