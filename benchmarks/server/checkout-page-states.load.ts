import { startCheckoutPages, stabilizeCheckout } from "../../server/test/pages/checkout-page-states.ts";
import { checkedLanguages } from "../../server/test/pages/page-checks.ts";
import { testPageStates } from "../../server/test/pages/test-page-states.ts";

/** Every page and state that a buyer can see: `npm run evidence -- buyers`. */
const { states, origin, frameOrigin } = await startCheckoutPages();
await testPageStates({
  part: "checkout",
  states,
  allowedPrefixes: [origin, frameOrigin],
  languages: checkedLanguages,
  stabilize: stabilizeCheckout,
});
