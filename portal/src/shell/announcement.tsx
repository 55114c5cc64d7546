import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { whileAttended } from "../api/attention.ts";
import { ask } from "../api/accounts.ts";

export const announcementQuery = queryOptions({
  queryKey: ["announcement"],
  queryFn: () => ask("GET /accounts/announcement", {}),
  refetchInterval: whileAttended(60_000),
  // Nobody is kept from working because this cannot be had.
  retry: false,
});

/** What operators tell everybody; nothing most of the time. */
export function Announcement(): ReactNode {
  const announcement = useQuery(announcementQuery).data?.announcement;
  if (!announcement) return undefined;
  return (
    <div className="announcement" data-tone={announcement.tone} role="status">
      {announcement.text}
    </div>
  );
}
