/** A command of the executable, as an operator reads of it. */
interface Command {
  /** Its options. */
  readonly takes?: string;
  readonly does: string;
}

/** All commands. The usage text and the documents are printed from this table; main.ts runs each. */
export const commands = {
  serve: { does: "answer merchants" },
  work: { takes: "[--only wallets|notifications]", does: "do what is due: wallets, expiries, notifications" },
  migrate: { does: "bring the database up to date" },
  "gateway-key add": { does: "make the gateway's next key pair" },
  "merchant add": {
    takes: "--public-key FILE [--name N] [--proof FILE] [--json]",
    does: "register a merchant's system, and print its client id",
  },
  "merchant key add": {
    takes: "--client-id ID --public-key FILE [--proof FILE]",
    does: "register another key of a merchant",
  },
  "merchant key revoke": { takes: "--client-id ID --version N", does: "refuse a key from now on, for ever" },
  "merchant keys": { takes: "--client-id ID", does: "which key signed what, and which can be revoked" },
  "merchant gateway-key": {
    takes: "--client-id ID --version N",
    does: "sign what goes to a merchant with this gateway key",
  },
  "merchant link-schemes": {
    takes: "--client-id ID --schemes A,B",
    does: "apps that buyers may return to, beside https",
  },
  "connector add": {
    takes:
      "--name N --url URL --partner-id ID --public-key FILE [--methods A,B] [--simulator] [--demands-registration] [--currencies EUR,USD]",
    does: "set up the way to a wallet",
  },
  "connector gateway-key": {
    takes: "--name N --version N",
    does: "sign what goes to a wallet with this gateway key",
  },
  "request-log keep": { takes: "--days N", does: "how long calls of merchants are remembered" },
  stuck: { does: "list what is not final, whose move it is, and when it is looked at next" },
  "settlement import": { takes: "--connector N --file FILE.csv", does: "take in a wallet's settlement file" },
  match: {
    takes: "[--connector N] [--until TIME] [--json]",
    does: "compare our records, the ledger and the wallets' files",
  },
  "balances rebuild": { does: "sum all balances anew, after a restore from a dump" },
  openapi: { does: "print the OpenAPI document" },
  generate: { takes: "[--check]", does: "write what is derived from the code" },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof commands;

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

const indent = "  ";
const doesAt = 46;
const widthMax = 110;

export function usage(): string {
  const lines = Object.entries<Command>(commands).flatMap(([name, { takes = "", does }]) => {
    const asked = wrapped(`${indent}${name} ${takes}`.trimEnd());
    const [last = ""] = asked.splice(-1);
    return last.length < doesAt - 1
      ? [...asked, last.padEnd(doesAt) + does]
      : [...asked, last, " ".repeat(doesAt) + does];
  });
  return [
    "Tollgate, an open payment gateway.",
    "",
    ...lines,
    "",
    "Options: --environment sandbox|live (or TOLLGATE_ENVIRONMENT). Settings come from the environment",
    "variables of docs/operating/settings.md.",
    "",
  ].join("\n");
}

/** Wraps a line to the terminal's width, with a hanging indent. */
function wrapped(line: string): string[] {
  if (line.length <= widthMax) return [line];
  const end = line.lastIndexOf(" ", widthMax);
  return [line.slice(0, end), ...wrapped(`${indent}${indent}${line.slice(end + 1)}`)];
}
