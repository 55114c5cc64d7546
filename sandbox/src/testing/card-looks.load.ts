import { stopClock } from "../../../server/test/pages/page-checks.ts";
import { testLooks } from "../../../server/test/pages/test-page-states.ts";
import { startCardLooks } from "./card-looks.ts";

/** Pictures of every card page: `npm run evidence -- buyers`. The pages are only in English. */
const { looks, origins } = await startCardLooks();
await testLooks({ part: "card", looks, mayAsk: origins, steady: stopClock });
