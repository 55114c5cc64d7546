import type { Verdict } from "../case.ts";
import type { Conclusion } from "../checking.ts";

/** The provider's address and keys, as a connector needs them. */
export interface ProviderPlace {
  readonly url: string;
  readonly partnerId: string;
  readonly publicKeyFile: string;
  readonly methodType: string;
  readonly isSimulator: boolean;
}

const repeats = [
  "submit-repeated",
  "submit-repeated-at-once",
  "submit-answer-lost",
  "paid-repeated",
  "refund-repeated",
  "refund-answer-lost",
  "capture-repeated",
  "capture-answer-lost",
];
const lates = ["submit-late", "cancel-late", "refund-late", "capture-late"];
/**
 * Quiet time in seconds for a provider that does not observe `notAfter`, if the provider's operator states no other
 * quiet time.
 */
const carefulQuietSeconds = 600;

/** Connector settings for a provider that lacks a duty or offers fewer features than most. */
export function settingsFor(verdicts: readonly Verdict[]): Readonly<Record<string, string>> {
  const of = (id: string): Verdict | undefined => verdicts.find((each) => each.id === id);
  const isBroken = (id: string): boolean => of(id)?.outcome === "broken";
  const isAbsent = (id: string): boolean => /--\w+s NONE/.test(of(id)?.found ?? "");
  return {
    ...(isAbsent("refund") && { refunds: "NONE" }),
    ...(isBroken("refund-in-parts") && { refunds: isBroken("refund-part") ? "FULL" : "ONCE" }),
    ...(isAbsent("capture") && { captures: "NONE" }),
    ...(isBroken("capture-in-parts") && { captures: "ONE" }),
    ...(repeats.some(isBroken) && { idempotent: "no" }),
    ...(lates.some(isBroken) && { "quiet-seconds": String(carefulQuietSeconds) }),
  };
}

/** The command that connects the provider with these settings. */
export function conclude(
  verdicts: readonly Verdict[],
  place: ProviderPlace,
  called: ReadonlySet<string>,
): Conclusion {
  const settings = settingsFor(verdicts);
  const options = {
    name: place.methodType.toLowerCase(),
    url: place.url,
    "partner-id": place.partnerId,
    "public-key": place.publicKeyFile,
    methods: place.methodType,
    ...settings,
  };
  const words = Object.entries(options).map(([name, value]) => `--${name} ${value}`);
  const command = ["tollgate connector add", ...words, ...(place.isSimulator ? ["--simulator"] : [])].join(
    " ",
  );
  const unseen = verdicts.filter(
    ({ id, outcome }) => outcome === "not seen" && [...repeats, ...lates].includes(id),
  );
  return {
    lines: [
      "To connect the provider as it is:",
      `  ${command}`,
      ...("quiet-seconds" in settings
        ? [
            `  It does not observe notAfter: ${carefulQuietSeconds} s is a guess. Ask the provider how late a message may still take effect.`,
          ]
        : []),
      ...(unseen.length > 0
        ? [`  Not known, because it could not be checked: ${unseen.map(({ id }) => id).join(", ")}.`]
        : []),
      "",
    ],
    json: { settings, command, called: [...called].sort() },
  };
}
