import { Type } from "typebox";
import {
  withDescription,
  Digits,
  OneOf,
  Personal,
  Region,
  Text,
  Url,
  type Meanings,
} from "../contract/schemas.ts";

/** The address of a merchant or a store. */
const Address = Type.Object(
  {
    region: Region("The country."),
    state: Type.Optional(Text(8, "The state or province, in its short form.")),
    city: Type.Optional(Personal(32, "The city or town.")),
    address1: Type.Optional(Personal(256, "Street and number.")),
    address2: Type.Optional(Personal(256, "The second address line: floor, flat, building.")),
    address3: Type.Optional(Personal(256, "The third address line.")),
    zipCode: Type.Optional(Personal(32, "The postal code.")),
    label: Type.Optional(Personal(64, "A label of the address.")),
  },
  { title: "Address", description: "A postal address." },
);

const Attachment = Type.Object({
  attachmentType: Text(64, "For example ARTICLES_OF_ASSOCIATION or LOGO."),
  attachmentName: Type.Optional(Personal(256, "The name of the file.")),
  file: Personal(32_768, "The URL of the file, or its content in Base64."),
});

const Contact = Type.Object(
  {
    contactType: Text(64, "For example MOBILE_PHONE."),
    contactNo: Digits(Personal(64, "The telephone number or address.")),
  },
  { title: "ContactInfo", description: "A way to contact the merchant or store." },
);

/** The legal entity of a merchant. */
const RegistrationDetail = Type.Object(
  {
    legalName: Personal(256, "The registered name."),
    registrationType: Type.Optional(Text(64, "For example ENTERPRISE_REGISTRATION_NO.")),
    registrationNo: Type.Optional(Digits(Personal(64, "The registration number."))),
    registrationAddress: Type.Optional(withDescription(Address, "The registered address.")),
    businessType: Type.Optional(Text(64, "For example ENTERPRISE.")),
    registrationEffectiveDate: Type.Optional(Text(32, "Start of the registration.")),
    registrationExpireDate: Type.Optional(Text(32, "End of the registration.")),
    attachments: Type.Optional(
      Type.Array(Attachment, { maxItems: 20, description: "Documents that prove the registration." }),
    ),
    contactInfo: Type.Optional(
      Type.Array(Contact, { maxItems: 10, description: "Contacts of the company." }),
    ),
  },
  { description: "The legal entity of the merchant." },
);

const Website = Type.Object({
  name: Type.Optional(Text(256, "The name of the website.")),
  url: Url("The URL of the website."),
  desc: Type.Optional(Text(256, "A description of the website.")),
  type: Type.Optional(Text(32, "The kind of website.")),
});

export const MerchantInfo = Type.Object(
  {
    referenceMerchantId: Digits(Text(64, "Your own id of the merchant; unique among your merchants.")),
    merchantDisplayName: Type.Optional(Text(64, "The merchant's name as buyers see it.")),
    merchantMCC: Type.Optional(Text(32, "The merchant category code, four digits.")),
    logo: Type.Optional(
      Type.Object(
        {
          logoName: Type.Optional(Text(256, "The name of the logo.")),
          logoUrl: Type.Optional(Url("The URL of the picture.")),
        },
        { description: "The merchant's logo." },
      ),
    ),
    websites: Type.Optional(Type.Array(Website, { maxItems: 10, description: "The merchant's websites." })),
    merchantAddress: Type.Optional(withDescription(Address, "The address of the merchant.")),
    registrationDetail: Type.Optional(RegistrationDetail),
  },
  { title: "MerchantInfo", description: "The merchant." },
);

export const StoreInfo = Type.Object(
  {
    referenceStoreId: Digits(Text(32, "Your own id of the store.")),
    storeName: Type.Optional(Text(256, "The name of the store.")),
    storeMCC: Type.Optional(Text(32, "The store's merchant category code, four digits.")),
    storeAddress: Type.Optional(withDescription(Address, "The address of the store.")),
    storePhoneNo: Type.Optional(Digits(Personal(24, "The store's telephone number."))),
    contactInfo: Type.Optional(Type.Array(Contact, { maxItems: 10, description: "Contacts of the store." })),
  },
  { title: "StoreInfo", description: "A store of the merchant." },
);

const productCodeMeanings: Meanings = {
  IN_STORE_PAYMENT: "At the point of sale of a store.",
  CASHIER_PAYMENT: "Online, on a page.",
  AGREEMENT_PAYMENT: "With an access token.",
};

export const ProductCodes = Type.Array(OneOf(productCodeMeanings, "A kind of payment."), {
  minItems: 1,
  maxItems: 3,
  description: "The kinds of payment that the merchant will accept.",
});

const registrationStatuses: Meanings = {
  PROCESSING: "Not all payment providers have decided yet.",
  COMPLETED:
    "All payment providers have decided, and at least one has accepted or none requires a registration.",
  APPROVED: "This payment provider has accepted.",
  REJECTED: "No payment provider has accepted; for a single provider, it has rejected.",
};

const RegistrationResult = Type.Object(
  {
    registrationStatus: OneOf(
      registrationStatuses,
      "The overall status is PROCESSING, COMPLETED or REJECTED; the status at a provider is PROCESSING, " +
        "APPROVED or REJECTED.",
    ),
    rejectReasons: Type.Optional(
      Type.Array(Text(256), { description: "The provider's reasons for the rejection." }),
    ),
  },
  { title: "RegistrationResult", description: "The status of a registration." },
);

/** The schema of the status of a registration, in responses and webhooks. */
export const RegistrationOutcomeFields = {
  registrationResult: withDescription(RegistrationResult, "The overall status."),
  pspRegistrationResultList: Type.Array(
    Type.Object(
      {
        pspName: Text(64, "The connector of the payment provider."),
        registrationResult: withDescription(RegistrationResult, "The provider's decision."),
      },
      { title: "PspRegistrationResult", description: "The decision of one payment provider." },
    ),
    { description: "The status at each payment provider." },
  ),
};
