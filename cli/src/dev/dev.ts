import { join } from "node:path";
import { styleText } from "node:util";
import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { cacheFolder } from "./cache-folder.ts";
import { writeEnvFile } from "./env-file.ts";
import { followFile } from "./follow-file.ts";
import { liveLine, walletLine } from "./live-lines.ts";
import { openEphemeralPlace, openKeptPlace, type Place } from "./place.ts";
import { readPort } from "./ports.ts";
import { welcome, type Home, type Ready } from "./ready.ts";
import { followLog, readable } from "./show-log.ts";
import { startWorld, type World, type WorldOptions } from "./start-world.ts";

/** The whole of Tollgate on this machine: real parts, until a signal ends it. */
export async function dev(given: Given): Promise<void> {
  const [port, httpsPort] = ["port", "https-port"].map((name) => readPort(name, given.value(name)));
  const isEphemeral = given.has("ephemeral");
  if (isEphemeral && (given.has("reset") || given.has("folder")))
    throw new UsageError("--ephemeral keeps nothing, so it goes with neither --folder nor --reset.");
  const leaving = new AbortController();
  const told = untilTold(leaving, given.has("until-stdin-closes"));
  const face = given.has("json") ? faceForPrograms(leaving.signal) : faceForPeople(leaving.signal);
  const place = isEphemeral
    ? await openEphemeralPlace()
    : await openKeptPlace(given.value("folder") ?? ".tollgate", { reset: given.has("reset") });
  const world: World = { parts: [] };
  leaving.signal.addEventListener("abort", () => world.parts.forEach((part) => void part.stop()));
  const compileCache = join(cacheFolder(), "compiled");
  const options = { ...face, port, httpsPort, compileCache, postgres: given.value("postgres") };
  const starting = startWorld(place, world, options, leaving.signal);
  try {
    const ready = await Promise.race([starting, told]);
    if (ready) {
      await face.showReady(ready, place);
      await Promise.race([told, untilOneEnds(world)]);
    }
  } finally {
    leaving.abort();
    // Waits for a part that is still starting: it would be left behind.
    await starting.catch(() => undefined);
    await Promise.all(world.parts.map((part) => part.stop()));
    await world.postgres?.stop(place.isKept ? "SIGINT" : "SIGQUIT");
    await place.close();
  }
}

function untilTold(leaving: AbortController, untilStdinCloses: boolean): Promise<void> {
  return new Promise((resolve) => {
    const leave = (): void => {
      resolve();
      leaving.abort(new Error("Told to leave while starting."));
    };
    // Under npm, Ctrl-C arrives twice, from the terminal and from npm. The second must not cut the cleanup
    // short.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, leave);
    if (process.env["npm_command"]) whenOrphaned(leave);
    // A pipe from the program that started us: it closes however that program ends, also behind npx.
    if (untilStdinCloses) process.stdin.once("close", leave).on("error", leave).resume().unref();
  });
}

/** A SIGTERM for npm or npx ends npm and its shell, and never arrives here: that they are gone has to be noticed. */
function whenOrphaned(leave: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    leave();
  }, 100);
  timer.unref();
}

/** When one part ends by itself, all are stopped: the others would answer, and answer wrongly. */
async function untilOneEnds({ parts, postgres }: World): Promise<never> {
  const all = [...parts, ...(postgres ? [{ name: "PostgreSQL", exited: postgres.exited }] : [])];
  const ended = await Promise.race(
    all.map(async ({ name, exited }) => `${name} has ended with ${await exited}; the rest leaves, too.`),
  );
  throw new Error(ended);
}

/** How a start shows itself. */
interface Face extends Pick<WorldOptions, "logLevel" | "onStep" | "onPart" | "onLine"> {
  showReady(ready: Ready, place: Place): Promise<void>;
}

/** For programs: one line of JSON on standard output, and the log, with what the parts say, on standard error. */
function faceForPrograms(leaving: AbortSignal): Face {
  return {
    logLevel: process.env["TOLLGATE_LOG_LEVEL"] || "warn",
    onStep: () => undefined,
    onPart: ({ name, child }) => {
      if (child.stdout && name !== "wallet")
        followLog(child.stdout, (line) => process.stderr.write(`${readable(name, line)}\n`));
    },
    async showReady(ready, place) {
      await settle(ready, place, leaving);
      process.stdout.write(`${JSON.stringify(ready)}\n`);
    },
  };
}

/** For people: each step of the start, the welcome, and then a line for whatever happens. */
function faceForPeople(leaving: AbortSignal): Face {
  const startedAtMs = performance.now();
  // Whatever the parts say while they are being ended is no news.
  const show = (line: string | undefined): void => {
    if (line !== undefined && !leaving.aborted) process.stdout.write(`${line}\n`);
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
      if (child.stdout && name !== "wallet") followLog(child.stdout, (line) => show(liveLine(name, line)));
    },
    onLine(_name, line) {
      if (!/^(?:Tollgate (?:serves|works)|SIG\w+:)/.test(line)) show(line);
    },
    async showReady(ready, place) {
      const envFile = await settle(ready, place, leaving);
      const home = envFile && { folder: place.folder, ...envFile };
      process.stdout.write(welcome(ready, home));
      const unfollow = followFile(ready.effectsFile, (line) => show(walletLine(line)));
      leaving.addEventListener("abort", unfollow);
    },
  };
}

/** Tells the other commands, and the developer's programs, where it is. */
async function settle(
  ready: Ready,
  place: Place,
  leaving: AbortSignal,
): Promise<Pick<Home, "envFile" | "hasOtherEnv"> | undefined> {
  if (!place.isKept || leaving.aborted) return undefined;
  await place.announce(ready);
  return writeEnvFile(place.folder, ready);
}
