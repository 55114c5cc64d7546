import { startCheckoutLooks, steadyCheckout } from "../../server/test/pages/checkout-page-states.ts";
import { languagesLookedAt } from "../../server/test/pages/page-checks.ts";
import { testLooks } from "../../server/test/pages/test-page-states.ts";

/** Every page and state that a buyer can see: `npm run evidence -- buyers`. */
const { looks, origin } = await startCheckoutLooks();
await testLooks({
  part: "checkout",
  looks,
  mayAsk: [origin],
  languages: languagesLookedAt,
  steady: steadyCheckout,
});
