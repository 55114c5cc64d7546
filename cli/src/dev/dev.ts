import { join } from "node:path";
import { UsageError, type Given } from "../../../server/src/commands/command.ts";
import { buildPortalOnce } from "./build-portal.ts";
import { cacheFolder } from "./cache-folder.ts";
import { faceForPeople, faceForPrograms, type Face } from "./face.ts";
import { findLanAddress } from "./lan-address.ts";
import { openEphemeralPlace, openKeptPlace } from "./place.ts";
import { readPort } from "./ports.ts";
import { root } from "./programs.ts";
import type { Ready } from "./ready.ts";
import { startWorld } from "./start-world.ts";
import type { World } from "./world.ts";

/** The whole of Tollgate on this machine: real parts, until a signal ends it. */
export async function dev(given: Given): Promise<void> {
  const [port, httpsPort] = ["port", "https-port"].map((name) => readPort(name, given.value(name)));
  const isEphemeral = given.has("ephemeral");
  if (isEphemeral && (given.has("reset") || given.has("folder")))
    throw new UsageError("--ephemeral keeps nothing, so it goes with neither --folder nor --reset.");
  const leaving = new AbortController();
  const { told, leave } = untilTold(leaving, given.has("until-stdin-closes"));
  // Before the folder is held: without an address there is nothing to start.
  const lanAddress = given.has("lan") ? findLanAddress() : undefined;
  const face = given.has("json") ? faceForPrograms(leaving.signal) : faceForPeople(leaving.signal);
  const place = isEphemeral
    ? await openEphemeralPlace()
    : await openKeptPlace(given.value("folder") ?? ".tollgate", { reset: given.has("reset") });
  // Programs that start it wait for nothing that they do not use.
  if (!given.has("json")) await buildPortalOnce(root, face.onStep);
  const world: World = { parts: [] };
  leaving.signal.addEventListener("abort", () => world.parts.forEach((part) => void part.stop()));
  const compileCache = join(cacheFolder(), "compiled");
  const postgres = given.value("postgres");
  const options = { ...face, port, httpsPort, compileCache, postgres, lanAddress };
  const starting = startWorld(place, world, options, leaving.signal);
  try {
    const ready = await Promise.race([starting, told]);
    if (ready) {
      if (given.has("seed")) await Promise.race([told, seed(ready, face)]);
      if (!leaving.signal.aborted) await face.showReady(ready, place, leave);
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

/** Loaded where it is wanted: the client library would be read at every start. */
async function seed(ready: Ready, { onStep }: Face): Promise<void> {
  const { seedPayments } = await import("./seed.ts");
  await seedPayments(ready, onStep);
}

/** Resolves when a signal, or a key, tells it to leave. */
function untilTold(
  leaving: AbortController,
  untilStdinCloses: boolean,
): { readonly told: Promise<void>; readonly leave: () => void } {
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const leave = (): void => {
    resolve();
    leaving.abort(new Error("Told to leave while starting."));
  };
  // Under npm, Ctrl-C arrives twice, from the terminal and from npm. The second must not cut the cleanup
  // short.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, leave);
  // The reader of what it prints is gone, such as `head`, or a terminal that was closed.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", leave);
  if (process.env["npm_command"]) whenOrphaned(leave);
  // A pipe from the program that started us: it closes however that program ends, also behind npx.
  if (untilStdinCloses) process.stdin.once("close", leave).on("error", leave).resume().unref();
  return { told, leave };
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
