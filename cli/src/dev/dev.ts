import { join } from "node:path";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { buildPortalOnce } from "./build-portal.ts";
import { cacheFolder } from "./cache-folder.ts";
import { outputForPeople, outputForPrograms, type DevOutput } from "./start-output.ts";
import { findLanAddress } from "./lan-address.ts";
import { openTemporaryDataFolder, openDataFolder } from "./data-folder.ts";
import { readPort } from "./ports.ts";
import { root } from "./programs.ts";
import type { Ready } from "../running-file.ts";
import { startStack } from "./start-stack.ts";
import type { DevStack } from "./dev-stack.ts";

/** Runs a complete Tollgate on this machine until a signal stops it. */
export async function dev(args: CommandArguments): Promise<void> {
  const [port, httpsPort] = ["port", "https-port"].map((name) => readPort(name, args.value(name)));
  const isEphemeral = args.has("ephemeral");
  if (isEphemeral && (args.has("reset") || args.has("folder")))
    throw new UsageError("--ephemeral stores nothing and can not be combined with --folder or --reset.");
  const stopping = new AbortController();
  const { stopRequested, requestStop } = listenForStop(stopping, args.has("until-stdin-closes"));
  // The network address is determined before the folder is locked, because without an address no part can start.
  const lanAddress = args.has("lan") ? findLanAddress() : undefined;
  const output = args.has("json") ? outputForPrograms(stopping.signal) : outputForPeople(stopping.signal);
  const dataFolder = isEphemeral
    ? await openTemporaryDataFolder()
    : await openDataFolder(args.value("folder") ?? ".tollgate", { reset: args.has("reset") });
  // With `--json` the portal is not built, because programs that start `dev` should not wait for a portal that they do
  // not use.
  if (!args.has("json")) await buildPortalOnce(root, output.onStep);
  const stack: DevStack = { parts: [] };
  stopping.signal.addEventListener("abort", () => stack.parts.forEach((part) => void part.stop()));
  const compileCache = join(cacheFolder(), "compiled");
  const postgres = args.value("postgres");
  const options = { ...output, port, httpsPort, compileCache, postgres, lanAddress };
  const starting = startStack(dataFolder, stack, options, stopping.signal);
  try {
    const ready = await Promise.race([starting, stopRequested]);
    if (ready) {
      if (args.has("seed")) await Promise.race([stopRequested, seed(ready, output)]);
      if (!stopping.signal.aborted) await output.showReady(ready, dataFolder, requestStop);
      await Promise.race([stopRequested, waitForFirstExit(stack)]);
    }
  } finally {
    stopping.abort();
    // Waits until a part that is still starting has started, because it would otherwise be left running.
    await starting.catch(() => undefined);
    await Promise.all(stack.parts.map((part) => part.stop()));
    await stack.postgres?.stop(dataFolder.isPersistent ? "SIGINT" : "SIGQUIT");
    await dataFolder.close();
  }
}

/** The import is dynamic, because loading the client library would slow down every start. */
async function seed(ready: Ready, { onStep }: DevOutput): Promise<void> {
  const { seedPayments } = await import("./seed.ts");
  await seedPayments(ready, onStep);
}

/** `listenForStop` returns a promise that resolves when a signal or a key requests the stop of `tollgate dev`. */
function listenForStop(
  stopping: AbortController,
  stopsWithStdin: boolean,
): { readonly stopRequested: Promise<void>; readonly requestStop: () => void } {
  const { promise: stopRequested, resolve } = Promise.withResolvers<void>();
  const requestStop = (): void => {
    resolve();
    stopping.abort(new Error("Stopped while starting."));
  };
  // Under npm, Ctrl-C arrives twice: from the terminal and from npm. The second signal must not interrupt the cleanup.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, requestStop);
  // An error on an output stream means that its reader has exited, such as `head` or a closed terminal.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", requestStop);
  if (process.env["npm_command"]) onParentExit(requestStop);
  // Standard input is a pipe from the program that started this one. The pipe closes when that program ends in any way,
  // also behind npx.
  if (stopsWithStdin) process.stdin.once("close", requestStop).on("error", requestStop).resume().unref();
  return { stopRequested, requestStop };
}

/** Stops when the parent process is gone. A SIGTERM for npm or npx ends npm and its shell and never arrives here. */
function onParentExit(onExit: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onExit();
  }, 100);
  timer.unref();
}

/** When one part exits, all parts are stopped, because the remaining parts would return wrong responses. */
async function waitForFirstExit({ parts, postgres }: DevStack): Promise<never> {
  const watched = [...parts, ...(postgres ? [{ name: "PostgreSQL", exited: postgres.exited }] : [])];
  const exitMessage = await Promise.race(
    watched.map(
      async ({ name, exited }) =>
        `${name} has exited with ${await exited}; the other parts are stopped, too.`,
    ),
  );
  throw new Error(exitMessage);
}
