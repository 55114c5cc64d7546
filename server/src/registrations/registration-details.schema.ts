import { Type } from "typebox";
import { Digits, forms, OneOf, Personal, Text, Url } from "../api/schemas.ts";

/** Where a merchant or a store is. */
const Address = Type.Object(
  {
    region: Type.String({ pattern: forms.region, description: "ISO 3166 country code." }),
    state: Type.Optional(Text(8)),
    city: Type.Optional(Personal(32)),
    address1: Type.Optional(Personal(256)),
    address2: Type.Optional(Personal(256)),
    address3: Type.Optional(Personal(256)),
    zipCode: Type.Optional(Personal(32)),
    label: Type.Optional(Personal(64)),
  },
  { title: "Address" },
);

const Attachment = Type.Object({
  attachmentType: Text(64, "For example ARTICLES_OF_ASSOCIATION or LOGO."),
  attachmentName: Type.Optional(Personal(256)),
  file: Personal(32_768, "Its address, or its content in base64."),
});

const Contact = Type.Object(
  {
    contactType: Text(64, "For example MOBILE_PHONE."),
    contactNo: Digits(Personal(64)),
  },
  { title: "ContactInfo" },
);

/** The legal entity behind a merchant. */
const RegistrationDetail = Type.Object({
  legalName: Personal(256),
  registrationType: Type.Optional(Text(64, "For example ENTERPRISE_REGISTRATION_NO.")),
  registrationNo: Type.Optional(Digits(Personal(64))),
  registrationAddress: Type.Optional(Address),
  businessType: Type.Optional(Text(64, "For example ENTERPRISE.")),
  registrationEffectiveDate: Type.Optional(Text(32)),
  registrationExpireDate: Type.Optional(Text(32)),
  attachments: Type.Optional(Type.Array(Attachment, { maxItems: 20 })),
  contactInfo: Type.Optional(Type.Array(Contact, { maxItems: 10 })),
});

const Website = Type.Object({
  name: Type.Optional(Text(256)),
  url: Url("Where it is."),
  desc: Type.Optional(Text(256)),
  type: Type.Optional(Text(32)),
});

export const MerchantInfo = Type.Object(
  {
    referenceMerchantId: Digits(Text(64, "The merchant's name in your system; no other merchant has it.")),
    merchantDisplayName: Type.Optional(Text(64, "What buyers see.")),
    merchantMCC: Type.Optional(Text(32)),
    logo: Type.Optional(
      Type.Object({ logoName: Type.Optional(Text(256)), logoUrl: Type.Optional(Url("Its picture.")) }),
    ),
    websites: Type.Optional(Type.Array(Website, { maxItems: 10 })),
    merchantAddress: Type.Optional(Address),
    registrationDetail: Type.Optional(RegistrationDetail),
  },
  { title: "MerchantInfo" },
);

export const StoreInfo = Type.Object(
  {
    referenceStoreId: Digits(Text(32, "The store's name in your system.")),
    storeName: Type.Optional(Text(256)),
    storeMCC: Type.Optional(Text(32)),
    storeAddress: Type.Optional(Address),
    storePhoneNo: Type.Optional(Digits(Personal(24))),
    contactInfo: Type.Optional(Type.Array(Contact, { maxItems: 10 })),
  },
  { title: "StoreInfo" },
);

export const ProductCodes = Type.Array(
  OneOf(["IN_STORE_PAYMENT", "CASHIER_PAYMENT", "AGREEMENT_PAYMENT"], "A kind of payment."),
  { minItems: 1, maxItems: 3, description: "What kinds of payment are to be taken." },
);

const RegistrationResult = Type.Object(
  {
    registrationStatus: OneOf(
      ["PROCESSING", "COMPLETED", "APPROVED", "REJECTED"],
      "As a whole it is PROCESSING, COMPLETED or REJECTED; with a wallet it is PROCESSING, APPROVED or REJECTED.",
    ),
    rejectReasons: Type.Optional(Type.Array(Text(256))),
  },
  { title: "RegistrationResult" },
);

/** The status of a registration, in answers and notifications. */
export const ToldResult = {
  registrationResult: RegistrationResult,
  pspRegistrationResultList: Type.Array(
    Type.Object(
      { pspName: Text(64, "The wallet."), registrationResult: RegistrationResult },
      { title: "PspRegistrationResult" },
    ),
  ),
};
