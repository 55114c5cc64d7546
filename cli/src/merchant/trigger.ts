import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { columns } from "../../../server/src/operators/framework/help.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { findGateway } from "./known-gateway.ts";
import { openSandbox } from "./sandbox.ts";
import { showStep } from "./show-step.ts";
import { triggers, untriggered, type Trigger } from "./triggers.ts";

/** Causes an event in the sandbox with all necessary actions, and waits for the webhook to the merchant. */
export async function trigger(given: Given): Promise<void> {
  const [name = ""] = given.words;
  if (given.has("list")) return list(given);
  const chosen = Object.hasOwn(triggers, name) ? triggers[name] : undefined;
  if (!chosen) {
    throw new UsageError(
      `There is no event ${name} to trigger.${didYouMean(name, Object.keys(triggers))} ` +
        "`tollgate trigger --list` lists all.",
    );
  }
  const isForPrograms = given.has("json");
  const sandbox = await openSandbox(
    await findGateway(given.value("folder")),
    isForPrograms ? () => undefined : showStep,
  );
  const [kind, what] = chosen.tells;
  const event = await sandbox.told(kind, await chosen.run(sandbox), what);
  process.stdout.write(
    isForPrograms
      ? `${JSON.stringify(event)}\n`
      : `webhook: ${kind} ${what}, event ${event.cursor}\n${event.body}\n`,
  );
}

function list(given: Given): void {
  const rows = Object.entries(triggers);
  const text = given.has("json")
    ? rows.map(([name, { does, tells, movesClock = false }]) =>
        JSON.stringify({ name, does, kind: tells[0], tells: tells[1], movesClock }),
      )
    : columns([
        ...rows.map(([name, each]) => [name, `${each.does}: ${toldBy(each)}`] as const),
        ...Object.entries(untriggered).map(([kind, why]) => ["-", `${kind}: ${why}`] as const),
      ]);
  process.stdout.write(`${text.join("\n")}\n`);
}

function toldBy({ tells, movesClock }: Trigger): string {
  return `${tells.join(" ")}${movesClock ? "; moves your clock" : ""}`;
}
