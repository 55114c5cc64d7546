import { stopClock } from "../../../server/test/pages/looks.ts";
import { testLooks } from "../../../server/test/pages/test-looks.ts";
import { startCardLooks } from "./card-looks.ts";

/** Every page on which cards are typed, as reviewed: `npm run evidence -- buyers`. It speaks English alone. */
const { looks, origins } = await startCardLooks();
await testLooks({ part: "card", looks, mayAsk: origins, steady: stopClock });
