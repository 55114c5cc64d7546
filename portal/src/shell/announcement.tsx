import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { requestAccounts } from "../api/request-accounts.ts";

export const announcementQuery = queryOptions({
  queryKey: ["announcement"],
  queryFn: () => requestAccounts("GET /accounts/announcement", {}),
  refetchInterval: intervalWhileActive(60_000),
  // An announcement is optional, so a failure to load it does not show an error on the page.
  retry: false,
});

/** The operator's announcement, usually empty. */
export function Announcement(): ReactNode {
  const announcement = useQuery(announcementQuery).data?.announcement;
  if (!announcement) return undefined;
  return (
    <div className="announcement" data-tone={announcement.tone} role="status">
      {announcement.text}
    </div>
  );
}
