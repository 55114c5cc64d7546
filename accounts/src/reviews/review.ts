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
export const showings = ["registration", "identity", "address", "other"] as const;
export type Showing = (typeof showings)[number];

const needed = ["registration", "identity"] as const satisfies readonly Showing[];

/** A reason why a review cannot be submitted: an empty or invalid field, or a missing document. */
export type Gap = keyof Business | `document-${(typeof needed)[number]}`;

export const gaps: readonly Gap[] = [
  ...businessFields,
  ...needed.map((showing) => `document-${showing}` as const),
];

export function gapsOf(business: Business, shown: readonly Showing[]): readonly Gap[] {
  return [
    ...businessFields.filter((field) => !forms[field].test(business[field])),
    ...needed
      .filter((showing) => !shown.includes(showing))
      .map((showing): Gap => `document-${showing}` as const),
  ];
}

const something = /\S/;
const forms: Readonly<Record<keyof Business, RegExp>> = {
  legalName: something,
  registrationNumber: something,
  country: /^[A-Z]{2}$/,
  address: /\S[\s\S]{9,}/,
  owner: something,
  website: /^https:\/\/[^\s/?#@]+\.[^\s/?#@]+(?:[/?#]\S*)?$/,
  sells: /\S[\s\S]{9,}/,
};

/** `mayChange` returns false while a review is pending and after the approval. */
export function mayChange({ status }: Review): boolean {
  return status === "draft" || status === "refused";
}
