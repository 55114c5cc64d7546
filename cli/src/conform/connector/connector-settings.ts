import type { Verdict } from "../conformance-case.ts";
import type { Conclusion } from "../prepared-check.ts";

/** The provider's address and keys, as a connector needs them. */
export interface ProviderSettings {
  readonly url: string;
  readonly partnerId: string;
  readonly publicKeyFile: string;
  readonly methodType: string;
  readonly isSimulator: boolean;
}

const repeatCaseIds = [
  "submit-repeated",
  "submit-repeated-at-once",
  "submit-answer-lost",
  "paid-repeated",
  "refund-repeated",
  "refund-answer-lost",
  "capture-repeated",
  "capture-answer-lost",
];
const lateCaseIds = ["submit-late", "cancel-late", "refund-late", "capture-late"];
/**
 * Quiet time in seconds for a provider that does not observe `notAfter`, if the provider's operator states no other
 * quiet time.
 */
const defaultQuietSeconds = 600;

/** Connector settings for a provider that lacks a duty or offers fewer features than most. */
export function deriveSettings(verdicts: readonly Verdict[]): Readonly<Record<string, string>> {
  const verdictFor = (id: string): Verdict | undefined => verdicts.find((each) => each.id === id);
  const isBroken = (id: string): boolean => verdictFor(id)?.outcome === "broken";
  const isAbsent = (id: string): boolean => /--\w+s NONE/.test(verdictFor(id)?.found ?? "");
  return {
    ...(isAbsent("refund") && { refunds: "NONE" }),
    ...(isBroken("refund-in-parts") && { refunds: isBroken("refund-part") ? "FULL" : "ONCE" }),
    ...(isAbsent("capture") && { captures: "NONE" }),
    ...(isBroken("capture-in-parts") && { captures: "ONE" }),
    ...(repeatCaseIds.some(isBroken) && { idempotent: "no" }),
    ...(lateCaseIds.some(isBroken) && { "quiet-seconds": String(defaultQuietSeconds) }),
  };
}

/** The command that connects the provider with these settings. */
export function suggestConnector(
  verdicts: readonly Verdict[],
  provider: ProviderSettings,
  calledOperations: ReadonlySet<string>,
): Conclusion {
  const settings = deriveSettings(verdicts);
  const options = {
    name: provider.methodType.toLowerCase(),
    url: provider.url,
    "partner-id": provider.partnerId,
    "public-key": provider.publicKeyFile,
    methods: provider.methodType,
    ...settings,
  };
  const commandOptions = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
  const command = [
    "tollgate connector add",
    ...commandOptions,
    ...(provider.isSimulator ? ["--simulator"] : []),
  ].join(" ");
  const unobservedCases = verdicts.filter(
    ({ id, outcome }) => outcome === "not seen" && [...repeatCaseIds, ...lateCaseIds].includes(id),
  );
  return {
    lines: [
      "To connect the provider as it is:",
      `  ${command}`,
      ...("quiet-seconds" in settings
        ? [
            `  It does not observe notAfter: ${defaultQuietSeconds} s is a guess. Ask the provider how late a message may still take effect.`,
          ]
        : []),
      ...(unobservedCases.length > 0
        ? [`  Not known, because it could not be checked: ${unobservedCases.map(({ id }) => id).join(", ")}.`]
        : []),
      "",
    ],
    json: { settings, command, called: [...calledOperations].sort() },
  };
}
