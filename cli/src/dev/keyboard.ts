import { readFileSync } from "node:fs";

/** A key of the running `dev`: what it does, for the list of keys, and doing it. */
export interface Key {
  readonly does: string;
  press(): Promise<void> | void;
}

export type Keys = Readonly<Record<string, Key>>;

/** Ctrl-C and Ctrl-D, which arrive as characters while the terminal is raw. */
const leavingKeys: ReadonlySet<string> = new Set(["\u0003", "\u0004"]);

/** Whether somebody sits at it: programs get no keys, nor does a job in the background, whom a terminal would stop. */
export function hasKeyboard(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && isInForeground();
}

/**
 * Hears single keys (raw mode) until `leaving` aborts. However the process ends, short of a SIGKILL, the terminal is given
 * back as it was.
 */
export function watchKeys(keys: Keys, leaving: AbortSignal): void {
  const { stdin } = process;
  const restore = (): void => {
    if (stdin.isRaw) stdin.setRawMode(false);
  };
  process.once("exit", restore);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  const onData = (text: string): void => {
    for (const character of text) void press(keys, leavingKeys.has(character) ? "q" : character);
  };
  stdin.on("data", onData).unref();
  leaving.addEventListener("abort", () => {
    stdin.off("data", onData).pause();
    restore();
  });
}

async function press(keys: Keys, character: string): Promise<void> {
  const key = Object.hasOwn(keys, character) ? keys[character] : undefined;
  await (key ?? keys["?"])?.press();
}

/** Linux: the terminal's foreground process group is ours. Elsewhere it is not asked. */
function isInForeground(): boolean {
  try {
    // Behind the name, which may hold anything but ends with the last bracket: state, parent, group, session, terminal, its group.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[2] === fields[5];
  } catch {
    return true;
  }
}
