import { join } from "node:path";
import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { buildPortalOnce } from "./build-portal.ts";
import { cacheFolder } from "./cache-folder.ts";
import { outputForPeople, outputForPrograms, type Face } from "./start-output.ts";
import { findLanAddress } from "./lan-address.ts";
import { openTemporaryDataFolder, openDataFolder } from "./data-folder.ts";
import { readPort } from "./ports.ts";
import { root } from "./programs.ts";
import type { Ready } from "../running.ts";
import { startWorld } from "./start-world.ts";
import type { World } from "./world.ts";

/** Runs a complete Tollgate on this machine until a signal stops it. */
export async function dev(given: Given): Promise<void> {
  const [port, httpsPort] = ["port", "https-port"].map((name) => readPort(name, given.value(name)));
  const isEphemeral = given.has("ephemeral");
  if (isEphemeral && (given.has("reset") || given.has("folder")))
    throw new UsageError("--ephemeral stores nothing and can not be combined with --folder or --reset.");
  const leaving = new AbortController();
  const { told, leave } = untilTold(leaving, given.has("until-stdin-closes"));
  // The network address is determined before the folder is locked, because without an address no part can start.
  const lanAddress = given.has("lan") ? findLanAddress() : undefined;
  const face = given.has("json") ? outputForPrograms(leaving.signal) : outputForPeople(leaving.signal);
  const place = isEphemeral
    ? await openTemporaryDataFolder()
    : await openDataFolder(given.value("folder") ?? ".tollgate", { reset: given.has("reset") });
  // With `--json` the portal is not built, because programs that start `dev` should not wait for a portal that they do
  // not use.
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
      await Promise.race([told, waitForFirstExit(world)]);
    }
  } finally {
    leaving.abort();
    // Waits until a part that is still starting has started, because it would otherwise be left running.
    await starting.catch(() => undefined);
    await Promise.all(world.parts.map((part) => part.stop()));
    await world.postgres?.stop(place.isKept ? "SIGINT" : "SIGQUIT");
    await place.close();
  }
}

/** The import is dynamic, because loading the client library would slow down every start. */
async function seed(ready: Ready, { onStep }: Face): Promise<void> {
  const { seedPayments } = await import("./seed.ts");
  await seedPayments(ready, onStep);
}

/** `told` resolves when a signal or a key requests the stop of `tollgate dev`. */
function untilTold(
  leaving: AbortController,
  untilStdinCloses: boolean,
): { readonly told: Promise<void>; readonly leave: () => void } {
  const { promise: told, resolve } = Promise.withResolvers<void>();
  const leave = (): void => {
    resolve();
    leaving.abort(new Error("Stopped while starting."));
  };
  // Under npm, Ctrl-C arrives twice: from the terminal and from npm. The second signal must not interrupt the cleanup.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, leave);
  // An error on an output stream means that its reader has exited, such as `head` or a closed terminal.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", leave);
  if (process.env["npm_command"]) onParentExit(leave);
  // Standard input is a pipe from the program that started this one. The pipe closes when that program ends in any way,
  // also behind npx.
  if (untilStdinCloses) process.stdin.once("close", leave).on("error", leave).resume().unref();
  return { told, leave };
}

/** Stops when the parent process is gone. A SIGTERM for npm or npx ends npm and its shell and never arrives here. */
function onParentExit(leave: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    leave();
  }, 100);
  timer.unref();
}

/** When one part exits, all parts are stopped, because the remaining parts would return wrong responses. */
async function waitForFirstExit({ parts, postgres }: World): Promise<never> {
  const all = [...parts, ...(postgres ? [{ name: "PostgreSQL", exited: postgres.exited }] : [])];
  const ended = await Promise.race(
    all.map(
      async ({ name, exited }) =>
        `${name} has exited with ${await exited}; the other parts are stopped, too.`,
    ),
  );
  throw new Error(ended);
}
