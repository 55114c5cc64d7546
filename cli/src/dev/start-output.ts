import { styleText } from "node:util";
import { writeEnvFile } from "./env-file.ts";
import { followFile } from "./follow-file.ts";
import { hasKeyboard, watchKeys } from "./keyboard.ts";
import { formatLiveLine, formatProviderEvent } from "./live-lines.ts";
import type { DataFolder } from "./data-folder.ts";
import { formatWelcome, type DataFolderInfo } from "./ready.ts";
import type { Ready } from "../running-file.ts";
import { followLog, formatLogEntry } from "./show-log.ts";
import type { StackOptions } from "./dev-stack.ts";

/** How a start reports its progress. */
export interface DevOutput extends Pick<StackOptions, "logLevel" | "onStep" | "onPart" | "onLine"> {
  /** `requestStop` stops the program, like Ctrl-C. */
  showReady(ready: Ready, dataFolder: DataFolder, requestStop: () => void): Promise<void>;
}

/**
 * The parts whose standard output must be read, because they write a log to it: an unread log fills the pipe, and then
 * the part blocks. Provider and shop print only one line.
 */
const loggingParts: ReadonlySet<string> = new Set(["serve", "serve-staff", "work", "accounts"]);

/**
 * Output for programs: one line of JSON on standard output. The log and the output of the parts go to standard error.
 */
export function outputForPrograms(stopping: AbortSignal): DevOutput {
  return {
    logLevel: process.env["TOLLGATE_LOG_LEVEL"] || "warn",
    onStep: () => undefined,
    onPart: ({ name, child }) => {
      if (child.stdout && loggingParts.has(name))
        followLog(child.stdout, (line) => process.stderr.write(`${formatLogEntry(name, line)}\n`));
    },
    async showReady(ready, dataFolder) {
      await announceReady(ready, dataFolder, stopping);
      process.stdout.write(`${JSON.stringify(ready)}\n`);
    },
  };
}

/** Output for people: each step of the start, the welcome text, and then one line for each event. */
export function outputForPeople(stopping: AbortSignal): DevOutput {
  const startedAtMs = performance.now();
  // During the stop, `show` prints nothing, because the parts still write lines while they stop.
  const show = (line: string | undefined): void => {
    if (line !== undefined && !stopping.aborted) process.stdout.write(`${line}\n`);
  };
  // `showLive` prints nothing before the welcome text, so that the payments of `--seed` are not shown as events.
  let isWelcomeShown = false;
  const showLive = (line: string | undefined): void => {
    if (isWelcomeShown) show(line);
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
        followLog(child.stdout, (line) => showLive(formatLiveLine(name, line)));
    },
    onLine(_name, line) {
      if (!/^(?:Tollgate (?:serves|works)|Tollgate's accounts answer|SIG\w+:)/.test(line)) show(line);
    },
    async showReady(ready, dataFolder, requestStop) {
      const envFile = await announceReady(ready, dataFolder, stopping);
      const hasKeys = hasKeyboard();
      const home = dataFolder.isPersistent ? { folder: dataFolder.folder, ...envFile } : undefined;
      process.stdout.write(formatWelcome(ready, home, hasKeys));
      isWelcomeShown = true;
      // The import is dynamic: the keys need the client library, which is not loaded when no keys can be read.
      if (hasKeys)
        watchKeys((await import("./key-actions.ts")).buildKeys(ready, { show, requestStop }), stopping);
      const unfollow = followFile(ready.effectsFile, (line) => show(formatProviderEvent(line)));
      stopping.addEventListener("abort", unfollow);
    },
  };
}

/** Writes the addresses for the other commands and the settings for the developer's programs. */
async function announceReady(
  ready: Ready,
  dataFolder: DataFolder,
  stopping: AbortSignal,
): Promise<Omit<DataFolderInfo, "folder">> {
  if (!stopping.aborted) await dataFolder.announce(ready);
  return writeEnvFile(dataFolder.folder, ready);
}
