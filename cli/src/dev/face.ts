import { styleText } from "node:util";
import { writeEnvFile } from "./env-file.ts";
import { followFile } from "./follow-file.ts";
import { hasKeyboard, watchKeys } from "./keyboard.ts";
import { liveLine, walletLine } from "./live-lines.ts";
import type { Place } from "./place.ts";
import { welcome, type Home, type Ready } from "./ready.ts";
import { followLog, readable } from "./show-log.ts";
import type { WorldOptions } from "./world.ts";

/** How a start shows itself. */
export interface Face extends Pick<WorldOptions, "logLevel" | "onStep" | "onPart" | "onLine"> {
  /** `leave` ends it, as Ctrl-C does. */
  showReady(ready: Ready, place: Place, leave: () => void): Promise<void>;
}

/**
 * Parts that write a log to standard output; wallet and shop print there that they are ready. A log that is not read fills its pipe, and then
 * the part blocks.
 */
const loggingParts: ReadonlySet<string> = new Set(["serve", "serve-staff", "work", "accounts"]);

/** For programs: one line of JSON on standard output, and the log, with what the parts say, on standard error. */
export function faceForPrograms(leaving: AbortSignal): Face {
  return {
    logLevel: process.env["TOLLGATE_LOG_LEVEL"] || "warn",
    onStep: () => undefined,
    onPart: ({ name, child }) => {
      if (child.stdout && loggingParts.has(name))
        followLog(child.stdout, (line) => process.stderr.write(`${readable(name, line)}\n`));
    },
    async showReady(ready, place) {
      await settle(ready, place, leaving);
      process.stdout.write(`${JSON.stringify(ready)}\n`);
    },
  };
}

/** For people: each step of the start, the welcome, and then a line for whatever happens. */
export function faceForPeople(leaving: AbortSignal): Face {
  const startedAtMs = performance.now();
  // Whatever the parts say while they are being ended is no news.
  const show = (line: string | undefined): void => {
    if (line !== undefined && !leaving.aborted) process.stdout.write(`${line}\n`);
  };
  // Nor is what happens before the welcome, such as the payments of `--seed`.
  let isWelcome = false;
  const showLive = (line: string | undefined): void => {
    if (isWelcome) show(line);
  };
  return {
    logLevel: "debug",
    onStep(step) {
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
      process.stderr.write(
        `${styleText("dim", `${seconds.padStart(5)} s`, { stream: process.stderr })}  ${step}\n`,
      );
    },
    onPart({ name, child }) {
      if (child.stdout && loggingParts.has(name))
        followLog(child.stdout, (line) => showLive(liveLine(name, line)));
    },
    onLine(_name, line) {
      if (!/^(?:Tollgate (?:serves|works)|Tollgate's accounts answer|SIG\w+:)/.test(line)) show(line);
    },
    async showReady(ready, place, leave) {
      const envFile = await settle(ready, place, leaving);
      const hasKeys = hasKeyboard();
      const home = place.isKept ? { folder: place.folder, ...envFile } : undefined;
      process.stdout.write(welcome(ready, home, hasKeys));
      isWelcome = true;
      // Loaded where somebody can press them: they need the client library.
      if (hasKeys) watchKeys((await import("./keys.ts")).keysOf(ready, { show, leave }), leaving);
      const unfollow = followFile(ready.effectsFile, (line) => show(walletLine(line)));
      leaving.addEventListener("abort", unfollow);
    },
  };
}

/** Tells the other commands, and the developer's programs, where it is. */
async function settle(ready: Ready, place: Place, leaving: AbortSignal): Promise<Omit<Home, "folder">> {
  if (!leaving.aborted) await place.announce(ready);
  return writeEnvFile(place.folder, ready);
}
