import { areaGroups } from "./area-pages.ts";
import type { PageGroup, DocsSite } from "./docs-page.ts";
import type { SiteFacts } from "./site-facts.ts";
import { guideGroups } from "./guide-pages.ts";
import { librariesPage } from "./libraries-page.ts";
import { notificationGroup } from "./notification-pages.ts";
import { environmentsPage, idempotencyPage, limitsPage, resultsPage } from "./rule-pages.ts";
import { signingPage } from "./signing-page.ts";
import { firstRequestPage, startPage } from "./start-pages.ts";
import { statusesPage } from "./statuses-page.ts";

/** All pages of `/docs`. The same facts give the same pages. */
export function buildSite(facts: SiteFacts): DocsSite {
  const guides = guideGroups(facts);
  const groups: readonly PageGroup[] = [
    { title: "Start", pages: [startPage(facts), firstRequestPage(facts), librariesPage(facts)] },
    ...guides,
    {
      title: "How it works",
      pages: [
        signingPage(facts),
        environmentsPage(facts),
        resultsPage(facts),
        statusesPage(),
        idempotencyPage(),
        limitsPage(facts),
      ],
    },
    ...areaGroups(facts),
    notificationGroup(guides.flatMap(({ pages }) => pages)),
  ];
  return { facts, groups, pages: groups.flatMap(({ page, pages }) => (page ? [page, ...pages] : pages)) };
}
