import { areaGroups } from "./areas.ts";
import type { PageGroup, Site } from "./docs-page.ts";
import type { Facts } from "./facts.ts";
import { guideGroups } from "./guides.ts";
import { librariesPage } from "./libraries-page.ts";
import { notificationGroup } from "./notification-pages.ts";
import { environmentsPage, idempotencyPage, limitsPage, resultsPage } from "./rules.ts";
import { signingPage } from "./signing-page.ts";
import { firstRequestPage, startPage } from "./start.ts";
import { statusesPage } from "./statuses-page.ts";

/** All pages of `/docs`. The same facts give the same pages. */
export function siteOf(facts: Facts): Site {
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
