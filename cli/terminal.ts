import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify, stripVTControlCharacters } from "node:util";

const run = promisify(execFile);

/** A pseudo-terminal (tmux) for tests: its screen, and the keys that a person would press. */
export interface Terminal {
  press(keys: string): Promise<void>;
  /** Waits until the terminal shows this text, including its scroll buffer. */
  shows(text: RegExp, withinMs?: number): Promise<string>;
  end(): Promise<void>;
}

/** Starts a command in a shell, which stays open when the command ends. */
export async function openTerminal(name: string, cwd: string, command: string): Promise<Terminal> {
  // A separate tmux server, so that a developer's tmux sessions are not touched.
  const tmux = (...tmuxArguments: readonly string[]): Promise<{ readonly stdout: string }> =>
    run("tmux", ["-L", `tollgate-${name}-${process.pid}`, "-f", "/dev/null", ...tmuxArguments]);
  const environment = Object.entries({ PATH: process.env["PATH"] ?? "", PS1: "shell$ " }).flatMap(
    ([key, value]) => ["-e", `${key}=${value}`],
  );
  const size = ["-x", "160", "-y", "50"];
  await tmux("new-session", "-d", "-c", cwd, ...size, ...environment, "bash --norc --noprofile");
  await tmux("set-option", "-g", "history-limit", "10000");
  await tmux("send-keys", "-l", `${command}\n`);
  const capture = async (): Promise<string> =>
    stripVTControlCharacters((await tmux("capture-pane", "-p", "-J", "-S", "-")).stdout);
  return {
    press: async (keys) => void (await tmux("send-keys", keys)),
    async shows(text, withinMs = 15_000) {
      const giveUpAtMs = performance.now() + withinMs;
      let screen = "";
      while (performance.now() < giveUpAtMs) {
        screen = await capture();
        if (text.test(screen)) return screen;
        await sleep(100);
      }
      throw new Error(`The terminal did not show ${text} within ${withinMs} ms. Its contents:\n${screen}`);
    },
    end: async () => void (await tmux("kill-server").catch(() => undefined)),
  };
}
