import { styleText } from "node:util";
import { writeEnvFile } from "./env-file.ts";
import { followFile } from "./follow-file.ts";
import { hasKeyboard, watchKeys } from "./keyboard.ts";
import { liveLine, providerLine } from "./live-lines.ts";
import type { Place } from "./data-folder.ts";
import { welcome, type Home } from "./ready.ts";
import type { Ready } from "../running.ts";
import { followLog, readable } from "./show-log.ts";
import type { WorldOptions } from "./world.ts";

/** How a start reports its progress. */
export interface Face extends Pick<WorldOptions, "logLevel" | "onStep" | "onPart" | "onLine"> {
  /** `leave` stops the program, like Ctrl-C. */
  showReady(ready: Ready, place: Place, leave: () => void): Promise<void>;
}

/**
 * The parts whose standard output must be read, because they write a log to it: an unread log fills the pipe, and then
 * the part blocks. Provider and shop print only one line.
 */
const loggingParts: ReadonlySet<string> = new Set(["serve", "serve-staff", "work", "accounts"]);

/**
 * Output for programs: one line of JSON on standard output. The log and the output of the parts go to standard error.
 */
export function outputForPrograms(leaving: AbortSignal): Face {
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

/** Output for people: each step of the start, the welcome text, and then one line for each event. */
export function outputForPeople(leaving: AbortSignal): Face {
  const startedAtMs = performance.now();
  // During the stop, `show` prints nothing, because the parts still write lines while they stop.
  const show = (line: string | undefined): void => {
    if (line !== undefined && !leaving.aborted) process.stdout.write(`${line}\n`);
  };
  // `showLive` prints nothing before the welcome text, so that the payments of `--seed` are not shown as events.
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
      // The import is dynamic: the keys need the client library, which is not loaded when no keys can be read.
      if (hasKeys) watchKeys((await import("./keys.ts")).keysOf(ready, { show, leave }), leaving);
      const unfollow = followFile(ready.effectsFile, (line) => show(providerLine(line)));
      leaving.addEventListener("abort", unfollow);
    },
  };
}

/** Writes the addresses for the other commands and the settings for the developer's programs. */
async function settle(ready: Ready, place: Place, leaving: AbortSignal): Promise<Omit<Home, "folder">> {
  if (!leaving.aborted) await place.announce(ready);
  return writeEnvFile(place.folder, ready);
}
