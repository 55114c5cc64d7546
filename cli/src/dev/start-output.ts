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
 * Parts that write a log to standard output; provider and shop print only that they are ready. A log that is not read
 * fills its pipe, and then the part blocks.
 */
const loggingParts: ReadonlySet<string> = new Set(["serve", "serve-staff", "work", "accounts"]);

/** For programs: one line of JSON on standard output; the log and the output of the parts on standard error. */
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

/** For people: each step of the start, the welcome text, and then a line for each event. */
export function outputForPeople(leaving: AbortSignal): Face {
  const startedAtMs = performance.now();
  // Lines that the parts print while they are stopped are not shown.
  const show = (line: string | undefined): void => {
    if (line !== undefined && !leaving.aborted) process.stdout.write(`${line}\n`);
  };
  // Events before the welcome text, such as the payments of `--seed`, are not shown either.
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
      // Imported only if keys are available, because they need the client library.
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
