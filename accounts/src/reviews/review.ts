/** The business details of a merchant, which are required for live. */
export interface Business {
  readonly legalName: string;
  readonly registrationNumber: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly address: string;
  /** The person who owns all or most of the business. */
  readonly owner: string;
  readonly website: string;
  readonly sells: string;
}

export const businessFields = [
  "legalName",
  "registrationNumber",
  "country",
  "address",
  "owner",
  "website",
  "sells",
] as const satisfies readonly (keyof Business)[];

export const reviewStatuses = ["draft", "submitted", "approved", "refused"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

export interface Review {
  readonly organisationId: string;
  readonly status: ReviewStatus;
  readonly business: Business;
  /** Counts the submissions. A decision applies to one of them. */
  readonly submission: number;
  readonly submittedAt: Date | undefined;
  readonly decidedAt: Date | undefined;
  /** The reason of the last decision, which the merchant received. */
  readonly reason: string | undefined;
}

export const noBusiness: Business = {
  legalName: "",
  registrationNumber: "",
  country: "",
  address: "",
  owner: "",
  website: "",
  sells: "",
};

export function newReview(organisationId: string): Review {
  return {
    organisationId,
    status: "draft",
    business: noBusiness,
    submission: 0,
    submittedAt: undefined,
    decidedAt: undefined,
    reason: undefined,
  };
}

/** The types of documents. */
export const documentTypes = ["registration", "identity", "address", "other"] as const;
export type DocumentType = (typeof documentTypes)[number];

const requiredDocuments = ["registration", "identity"] as const satisfies readonly DocumentType[];

/** A reason why a review cannot be submitted: an empty or invalid field, or a missing document. */
export type MissingItem = keyof Business | `document-${(typeof requiredDocuments)[number]}`;

export const missingItems: readonly MissingItem[] = [
  ...businessFields,
  ...requiredDocuments.map((showing) => `document-${showing}` as const),
];

export function findMissingItems(
  business: Business,
  provided: readonly DocumentType[],
): readonly MissingItem[] {
  return [
    ...businessFields.filter((field) => !fieldPatterns[field].test(business[field])),
    ...requiredDocuments
      .filter((showing) => !provided.includes(showing))
      .map((showing): MissingItem => `document-${showing}` as const),
  ];
}

const notBlank = /\S/;
const fieldPatterns: Readonly<Record<keyof Business, RegExp>> = {
  legalName: notBlank,
  registrationNumber: notBlank,
  country: /^[A-Z]{2}$/,
  address: /\S[\s\S]{9,}/,
  owner: notBlank,
  website: /^https:\/\/[^\s/?#@]+\.[^\s/?#@]+(?:[/?#]\S*)?$/,
  sells: /\S[\s\S]{9,}/,
};

/** `mayChange` returns false while a review is pending and after the approval. */
export function mayChange({ status }: Review): boolean {
  return status === "draft" || status === "refused";
}
