import { Type } from "typebox";
import { described, Digits, OneOf, Personal, Region, Text, Url, type Meanings } from "../api/schemas.ts";

/** Where a merchant or a store is. */
const Address = Type.Object(
  {
    region: Region("The country."),
    state: Type.Optional(Text(8, "The state or province, in its short form.")),
    city: Type.Optional(Personal(32, "The city or town.")),
    address1: Type.Optional(Personal(256, "Street and number.")),
    address2: Type.Optional(Personal(256, "What comes after the street: floor, flat, building.")),
    address3: Type.Optional(Personal(256, "One more line.")),
    zipCode: Type.Optional(Personal(32, "The postal code.")),
    label: Type.Optional(Personal(64, "What the address is called.")),
  },
  { title: "Address", description: "A postal address." },
);

const Attachment = Type.Object({
  attachmentType: Text(64, "For example ARTICLES_OF_ASSOCIATION or LOGO."),
  attachmentName: Type.Optional(Personal(256, "The name of the file.")),
  file: Personal(32_768, "Its address, or its content in base64."),
});

const Contact = Type.Object(
  {
    contactType: Text(64, "For example MOBILE_PHONE."),
    contactNo: Digits(Personal(64, "The number or address itself.")),
  },
  { title: "ContactInfo", description: "A way to reach somebody." },
);

/** The legal entity behind a merchant. */
const RegistrationDetail = Type.Object(
  {
    legalName: Personal(256, "The name in the register."),
    registrationType: Type.Optional(Text(64, "For example ENTERPRISE_REGISTRATION_NO.")),
    registrationNo: Type.Optional(Digits(Personal(64, "The number in the register."))),
    registrationAddress: Type.Optional(described(Address, "The address in the register.")),
    businessType: Type.Optional(Text(64, "For example ENTERPRISE.")),
    registrationEffectiveDate: Type.Optional(Text(32, "Since when it is registered.")),
    registrationExpireDate: Type.Optional(Text(32, "Until when it is registered.")),
    attachments: Type.Optional(
      Type.Array(Attachment, { maxItems: 20, description: "Documents that prove it." }),
    ),
    contactInfo: Type.Optional(
      Type.Array(Contact, { maxItems: 10, description: "How to reach the company." }),
    ),
  },
  { description: "The legal entity behind the merchant." },
);

const Website = Type.Object({
  name: Type.Optional(Text(256, "What it is called.")),
  url: Url("Where it is."),
  desc: Type.Optional(Text(256, "What it is about.")),
  type: Type.Optional(Text(32, "What kind of site it is.")),
});

export const MerchantInfo = Type.Object(
  {
    referenceMerchantId: Digits(Text(64, "The merchant's name in your system; no other merchant has it.")),
    merchantDisplayName: Type.Optional(Text(64, "What buyers see.")),
    merchantMCC: Type.Optional(Text(32, "The merchant category code, four digits.")),
    logo: Type.Optional(
      Type.Object(
        {
          logoName: Type.Optional(Text(256, "What it is called.")),
          logoUrl: Type.Optional(Url("Its picture.")),
        },
        { description: "The merchant's logo." },
      ),
    ),
    websites: Type.Optional(Type.Array(Website, { maxItems: 10, description: "The merchant's sites." })),
    merchantAddress: Type.Optional(described(Address, "Where the merchant is.")),
    registrationDetail: Type.Optional(RegistrationDetail),
  },
  { title: "MerchantInfo", description: "The merchant." },
);

export const StoreInfo = Type.Object(
  {
    referenceStoreId: Digits(Text(32, "The store's name in your system.")),
    storeName: Type.Optional(Text(256, "What the store is called.")),
    storeMCC: Type.Optional(Text(32, "The store's merchant category code, four digits.")),
    storeAddress: Type.Optional(described(Address, "Where the store is.")),
    storePhoneNo: Type.Optional(Digits(Personal(24, "The store's telephone number."))),
    contactInfo: Type.Optional(Type.Array(Contact, { maxItems: 10, description: "How to reach the store." })),
  },
  { title: "StoreInfo", description: "A store of the merchant." },
);

const kindsOfPayment: Meanings = {
  IN_STORE_PAYMENT: "At the till of a store.",
  CASHIER_PAYMENT: "Online, on a page.",
  AGREEMENT_PAYMENT: "With an access token.",
};

export const ProductCodes = Type.Array(OneOf(kindsOfPayment, "A kind of payment."), {
  minItems: 1,
  maxItems: 3,
  description: "What kinds of payment are to be taken.",
});

const registrationStatuses: Meanings = {
  PROCESSING: "Not everybody has decided yet.",
  COMPLETED: "Every wallet has decided, and one has accepted or none had to.",
  APPROVED: "This wallet has accepted.",
  REJECTED: "Nobody has accepted, or this wallet has not.",
};

const RegistrationResult = Type.Object(
  {
    registrationStatus: OneOf(
      registrationStatuses,
      "As a whole it is PROCESSING, COMPLETED or REJECTED; with a wallet it is PROCESSING, APPROVED or REJECTED.",
    ),
    rejectReasons: Type.Optional(Type.Array(Text(256), { description: "Why not, in the wallet's words." })),
  },
  { title: "RegistrationResult", description: "Where a registration stands." },
);

/** The status of a registration, in answers and notifications. */
export const ToldResult = {
  registrationResult: described(RegistrationResult, "Where it stands as a whole."),
  pspRegistrationResultList: Type.Array(
    Type.Object(
      {
        pspName: Text(64, "The wallet."),
        registrationResult: described(RegistrationResult, "What this wallet has decided."),
      },
      { title: "PspRegistrationResult", description: "What one wallet has decided." },
    ),
    { description: "The same, wallet by wallet." },
  ),
};
