import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleCheckout, examplePayments } from "../../server/test/examples/example-checkout.ts";
import { cutOffElements } from "../../server/test/pages/cut-off-elements.ts";
import { launchBrowser } from "../../server/test/pages/page-checks.ts";
import { startTestGateway } from "../../server/test/start/test-gateway.ts";
import type { CheckoutState } from "../../server/src/checkout/checkout.ts";
import { selectLanguage, languages } from "../../server/src/checkout/language.ts";
import { checkoutPage } from "../../server/src/checkout/checkout-page.ts";

const gateway = await startTestGateway("sandbox");
const style = await (await fetch(`${gateway.url}/checkout/style.css`)).text();
const browser = await launchBrowser();

/** Phones in portrait and landscape, and a desktop. */
const sizes = [
  [320, 568],
  [390, 844],
  [844, 390],
  [1280, 800],
] as const;

for (const [tag, name] of languages) {
  test(`${name}: every state fits every screen, and no text is cut off`, async () => {
    const page = await browser.newPage();
    for (const state of Object.keys(examplePayments) as CheckoutState[]) {
      const checkout = {
        ...exampleCheckout(state),
        environment: "sandbox" as const,
        language: selectLanguage([tag]),
      };
      const markup = checkoutPage(checkout);
      await page.setContent(markup.replace("</head>", `<style>${style}</style></head>`));
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        assert.deepEqual(await cutOffElements(page), [], `${state} ${width}`);
      }
    }
    await page.close();
  });
}
