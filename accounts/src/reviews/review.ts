/** What a merchant says of its business before it may take real money. */
export interface Business {
  readonly legalName: string;
  readonly registrationNumber: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly address: string;
  /** The person who owns the business, or most of it. */
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
  /** How often it was submitted: a decision is about one of them. */
  readonly submission: number;
  readonly submittedAt: Date | undefined;
  readonly decidedAt: Date | undefined;
  /** What the merchant was told. */
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

/** What a paper shows. */
export const showings = ["registration", "identity", "address", "other"] as const;
export type Showing = (typeof showings)[number];

const needed = ["registration", "identity"] as const satisfies readonly Showing[];

/** Why a review cannot be submitted yet: a field that is empty or not of its form, or a paper that is not there. */
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

/** While an operator looks at it, and once it is approved, what was said stands. */
export function mayChange({ status }: Review): boolean {
  return status === "draft" || status === "refused";
}
