import type { Verdict } from "../case.ts";
import type { Conclusion } from "../checking.ts";

/** Where the wallet is, as a connector names it. */
export interface WalletPlace {
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
/** What a wallet that keeps no `notAfter` is given, unless its operator knows better. */
const carefulQuietSeconds = 600;

/** What the connector has to be told, because the wallet lacks a duty or offers less than most. */
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

/** The command that connects the wallet as it is. */
export function conclude(
  verdicts: readonly Verdict[],
  place: WalletPlace,
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
      "To connect it as it is:",
      `  ${command}`,
      ...("quiet-seconds" in settings
        ? [
            `  It does not keep notAfter: ${carefulQuietSeconds} s is a guess. Ask the wallet how late it may still act on a message.`,
          ]
        : []),
      ...(unseen.length > 0
        ? [`  Not known, because it could not be seen: ${unseen.map(({ id }) => id).join(", ")}.`]
        : []),
      "",
    ],
    json: { settings, command, called: [...called].sort() },
  };
}
