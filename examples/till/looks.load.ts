import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { closeBrowser, complaints, newPage, openTill, says, showCode, typeIn } from "./testing/pages.ts";
import { startWorld } from "./testing/world.ts";

/** How the pages look, at all widths, by day and by night. */
const world = await startWorld();
after(async () => {
  await closeBrowser();
  await world.stop();
});

/** Set to a folder, it keeps a picture of each look. */
const pictures = process.env["TILL_PICTURES"];

let lastValue = 3_000;
const newValue = (): string => String((lastValue += 1));

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Nothing is cut off, and axe finds nothing. */
async function glance(on: Page, name: string): Promise<void> {
  if (pictures !== undefined) {
    await mkdir(pictures, { recursive: true });
    await on.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }
  assert.equal(
    await on.evaluate("document.documentElement.scrollWidth <= innerWidth"),
    true,
    `${name} is cut off`,
  );
  await on.evaluate(await readFile(axe, "utf8"));
  const found = await on.evaluate<readonly string[]>(
    `axe.run({ iframes: false }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(" | "))))`,
  );
  assert.deepEqual(found, [], name);
}

for (const colorScheme of ["light", "dark"] as const)
  for (const width of [320, 390, 1280])
    test(`every page and state at ${width} px, ${colorScheme}`, async () => {
      const own = await world.startTill({ payWithinSeconds: 60 });
      const screen = await openTill(own, { width, colorScheme });
      const look = (name: string): Promise<void> => glance(screen, `${name}-${width}-${colorScheme}`);
      await look("idle");
      await showCode(screen, newValue());
      await look("shows");
      await screen.locator("#cancel").click();
      await says(screen, "Cancelled");
      await look("cancelled");
      await typeIn(screen, newValue());
      await look("amount");
      await typeIn(screen, await world.codeOfBuyer());
      await says(screen, "Paid");
      await screen.locator("#toggle-calls").click();
      await screen.locator("#call-list summary").first().click();
      await screen.getByText("Give back").first().click();
      await look("paid");
      await screen.locator("#toggle-calls").click();
      await typeIn(screen, newValue());
      await typeIn(screen, await world.codeOfBuyer({ declines: "USER_BALANCE_NOT_ENOUGH" }));
      await says(screen, "Not paid");
      await look("declined");
      await typeIn(screen, newValue());
      await typeIn(screen, await world.codeOfBuyer({ asks: true }));
      await says(screen, "Look at the phone");
      await look("asks");
      own.line.cut();
      await says(screen, "Unknown", 60_000);
      await look("unknown");
      for (const path of ["stickers/table-1", "t/table-1", "nothing-here"]) {
        await screen.goto(`${own.url}/${path}`);
        await look(path.replaceAll("/", "-"));
      }
      await screen.context().close();
    });

test("till and wallet side by side: one person plays both", async () => {
  const side = await newPage({ width: 1440 });
  await side.goto(`${world.ready.tillUrl}/side`);
  const [cashier, wallet] = [
    side.frameLocator('iframe[title="Till"]'),
    side.frameLocator('iframe[title="Wallet"]'),
  ];
  await cashier.locator("#sum", { hasText: "0.00" }).waitFor();
  await wallet.locator("body").waitFor();
  await wallet
    .getByText(/wallet/i)
    .first()
    .waitFor();
  await glance(side, "side");
  await side.context().close();
});

test("no page complained", () => assert.deepEqual(complaints, []));
