import { stopClock } from "../../../server/test/pages/page-checks.ts";
import { testPageStates } from "../../../server/test/pages/test-page-states.ts";
import { startCardPageStates } from "./card-page-states.ts";

/** Pictures of every card page: `npm run evidence -- buyers`. The pages are only in English. */
const { states, origins } = await startCardPageStates();
await testPageStates({ part: "card", states, allowedPrefixes: origins, stabilize: stopClock });
