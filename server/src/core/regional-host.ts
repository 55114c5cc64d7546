/** A host name under which merchants call the gateway. The operator configures the list. */
export interface RegionalHost {
  readonly region: (typeof regions)[number];
  readonly host: string;
  readonly serves: (typeof hostScopes)[number];
  readonly standing: (typeof hostStandings)[number];
}

const regions = ["NORTH_AMERICA", "ASIA", "EUROPE"] as const;
/**
 * The merchants that a host serves: all; only those in the United States; only those elsewhere; or only in-store
 * payments.
 */
const hostScopes = ["ALL", "UNITED_STATES", "ELSEWHERE", "IN_STORE"] as const;
const hostStandings = ["RECOMMENDED", "ALTERNATIVE"] as const;

const hostForm = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** Parses the operator's list of hosts. If the list is malformed, it throws an error that names the entry. */
export function parseRegionalHosts(text: string): readonly RegionalHost[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("The list of hosts must be a list.");
  const hosts = list.map((entry: unknown, index) => parseHost(entry, index));
  const names = hosts.map(({ host }) => host);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate) throw new Error(`The host ${duplicate} is listed twice.`);
  return hosts;
}

function parseHost(entry: unknown, index: number): RegionalHost {
  const fields = (typeof entry === "object" && entry !== null ? entry : {}) as Readonly<
    Record<string, unknown>
  >;
  const region = regions.find((name) => name === fields["region"]);
  const serves = hostScopes.find((name) => name === (fields["serves"] ?? "ALL"));
  const standing = hostStandings.find((name) => name === (fields["standing"] ?? "RECOMMENDED"));
  const host =
    typeof fields["host"] === "string" && hostForm.test(fields["host"]) ? fields["host"] : undefined;
  if (!region) throw new Error(`Host ${index + 1}: region is one of ${regions.join(", ")}.`);
  if (!host)
    throw new Error(`Host ${index + 1}: host must be a name in lower case, without scheme and port.`);
  if (!serves) throw new Error(`Host ${index + 1}: serves is one of ${hostScopes.join(", ")}.`);
  if (!standing) throw new Error(`Host ${index + 1}: standing is one of ${hostStandings.join(", ")}.`);
  return { region, host, serves, standing };
}

/** Whether a Host header names a host for in-store payments only. */
export function isInStoreHost(hosts: readonly RegionalHost[], header: string): boolean {
  const name = header.toLowerCase().replace(/:\d+$/, "");
  return hosts.some(({ host, serves }) => serves === "IN_STORE" && host === name);
}
