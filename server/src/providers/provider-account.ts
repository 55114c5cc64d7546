/** A merchant's accounts at the providers: connector name → the provider's reference of the account. */
export type ProviderAccounts = ReadonlyMap<string, string>;

/** A registration of a merchant, without a store, that a provider has approved and given an id. */
export interface ApprovedRegistration {
  readonly connector: string;
  /** The merchant's own id of the registered merchant: one client can register several. */
  readonly referenceMerchantId: string;
  /** The provider's own id of the registration. */
  readonly registrationId: string;
}

/** The accounts and registrations of a merchant. They are loaded and cached with the merchant's settings. */
export interface MerchantAtProviders {
  readonly accounts: ProviderAccounts;
  /** The newest first. */
  readonly registrations: readonly ApprovedRegistration[];
}

/** A merchant that no provider knows by an account or a registration. */
export const noProviders: MerchantAtProviders = { accounts: new Map(), registrations: [] };

/** The provider's references of a merchant, which an order stores when it is created. */
export interface ProviderReferences {
  readonly account: string | undefined;
  readonly registrationId: string | undefined;
}

/**
 * `referencesAt` returns the account and the registration of a merchant at a connector. Without a
 * `referenceMerchantId`, a registration counts only if all registrations are of one merchant, because another merchant's
 * registration would attribute the order to it.
 */
export function referencesAt(
  { accounts, registrations }: MerchantAtProviders,
  connector: string,
  referenceMerchantId: string | undefined,
): ProviderReferences {
  const approved = registrations.filter((each) => each.connector === connector);
  const merchants = new Set(approved.map((each) => each.referenceMerchantId));
  const [onlyMerchant] = merchants.size === 1 ? merchants : [];
  const merchant = referenceMerchantId ?? onlyMerchant;
  const registration = approved.find((each) => each.referenceMerchantId === merchant);
  return { account: accounts.get(connector), registrationId: registration?.registrationId };
}

const accountPattern = /^[!-~]{1,128}$/;

/**
 * Texts that look like a key or a token: those of Stripe, Mollie, Adyen and Braintree, webhook secrets, JSON web tokens,
 * PEM, and any unbroken text of 60 or more characters.
 */
const secretPatterns: readonly RegExp[] = [
  /^(sk|rk|pk|ek)_(live|test)_/i,
  /^(live|test)_[A-Za-z0-9]{20,}$/,
  /^(whsec|shpss|access_token\$)/i,
  /^AQE[A-Za-z0-9]/,
  /^eyJ[A-Za-z0-9_-]+\./,
  /^-----BEGIN/,
  /^[A-Za-z0-9+/=_-]{60,}$/,
];

/** `accountProblem` returns why a text cannot be an account reference; undefined if it can. */
export function accountProblem(text: string): string | undefined {
  if (!accountPattern.test(text))
    return "An account reference has 1 to 128 printable ASCII characters, without spaces.";
  if (secretPatterns.some((pattern) => pattern.test(text)))
    return "This looks like a key, not like an account reference. Keys and secrets stay in the connector; give the gateway only the provider's reference of the account, such as acct_1A2b3C.";
  return undefined;
}
