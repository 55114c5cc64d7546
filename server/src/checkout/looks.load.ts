import { startCheckoutLooks, steadyCheckout } from "../../test/pages/checkout-looks.ts";
import { languagesLookedAt } from "../../test/pages/looks.ts";
import { testLooks } from "../../test/pages/test-looks.ts";

/** Every page and state that a buyer can come by, as reviewed: `npm run evidence -- buyers`. */
const { looks, origin } = await startCheckoutLooks();
await testLooks({
  part: "checkout",
  looks,
  mayAsk: [origin],
  languages: languagesLookedAt,
  steady: steadyCheckout,
});
