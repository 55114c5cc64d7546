import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { alignColumns } from "../../../server/src/operators/framework/help.ts";
import { didYouMean } from "../../../server/src/operators/framework/did-you-mean.ts";
import { findGateway } from "./configured-gateway.ts";
import { openSandbox } from "./sandbox.ts";
import { printStep } from "./print-step.ts";
import { triggers, untriggered, type Trigger } from "./triggers.ts";

/** Causes an event in the sandbox with all necessary actions, and waits for the webhook to the merchant. */
export async function trigger(args: CommandArguments): Promise<void> {
  const [name = ""] = args.positionals;
  if (args.has("list")) return listTriggers(args);
  const selected = Object.hasOwn(triggers, name) ? triggers[name] : undefined;
  if (!selected) {
    throw new UsageError(
      `There is no event ${name} to trigger.${didYouMean(name, Object.keys(triggers))} ` +
        "`tollgate trigger --list` lists all.",
    );
  }
  const isForPrograms = args.has("json");
  const sandbox = await openSandbox(
    await findGateway(args.value("folder")),
    isForPrograms ? () => undefined : printStep,
  );
  const [kind, expectedText] = selected.webhook;
  const event = await sandbox.waitForWebhook(kind, await selected.run(sandbox), expectedText);
  process.stdout.write(
    isForPrograms
      ? `${JSON.stringify(event)}\n`
      : `webhook: ${kind} ${expectedText}, event ${event.cursor}\n${event.body}\n`,
  );
}

function listTriggers(args: CommandArguments): void {
  const rows = Object.entries(triggers);
  const text = args.has("json")
    ? rows.map(([name, { does, webhook, movesClock = false }]) =>
        JSON.stringify({ name, does, kind: webhook[0], tells: webhook[1], movesClock }),
      )
    : alignColumns([
        ...rows.map(([name, each]) => [name, `${each.does}: ${describeWebhook(each)}`] as const),
        ...Object.entries(untriggered).map(([kind, reason]) => ["-", `${kind}: ${reason}`] as const),
      ]);
  process.stdout.write(`${text.join("\n")}\n`);
}

function describeWebhook({ webhook, movesClock }: Trigger): string {
  return `${webhook.join(" ")}${movesClock ? "; moves your clock" : ""}`;
}
