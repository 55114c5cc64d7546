import { readFileSync } from "node:fs";

/** A key of the running `dev`: its help text and its action. */
export interface Key {
  readonly does: string;
  press(): Promise<void> | void;
}

export type Keys = Readonly<Record<string, Key>>;

/** Ctrl-C and Ctrl-D, which arrive as characters while the terminal is raw. */
const quitKeys: ReadonlySet<string> = new Set(["\u0003", "\u0004"]);

/**
 * Whether this process can read keys. A process without a terminal can not, and the terminal would stop a background
 * job that reads.
 */
export function hasKeyboard(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && isInForeground();
}

/**
 * Reads single keys in raw mode until `stopping` aborts. The terminal mode is restored when the process ends in any way
 * except SIGKILL.
 */
export function watchKeys(keys: Keys, stopping: AbortSignal): void {
  const { stdin } = process;
  const restore = (): void => {
    if (stdin.isRaw) stdin.setRawMode(false);
  };
  process.once("exit", restore);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  const onData = (text: string): void => {
    for (const character of text) void press(keys, quitKeys.has(character) ? "q" : character);
  };
  stdin.on("data", onData).unref();
  stopping.addEventListener("abort", () => {
    stdin.off("data", onData).pause();
    restore();
  });
}

async function press(keys: Keys, character: string): Promise<void> {
  const key = Object.hasOwn(keys, character) ? keys[character] : undefined;
  await (key ?? keys["?"])?.press();
}

/**
 * On Linux, returns whether this process belongs to the terminal's foreground process group. On other systems, returns
 * true.
 */
function isInForeground(): boolean {
  try {
    // The fields after the process name: state, parent, group, session, terminal, terminal's group. The name can
    // contain any character, and ends with the last bracket.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[2] === fields[5];
  } catch {
    return true;
  }
}
