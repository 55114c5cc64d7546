import type { ReactNode } from "react";

/** Line icons on a grid of 24. They are decorative; a text or a label is always present. */
const drawings = {
  overview: "M4 11.5 12 4l8 7.5M6 10v10h12V10M10 20v-6h4v6",
  payments: "M3 6h18v12H3zM3 10h18M7 15h3",
  refunds: "M4 9h11a5 5 0 0 1 0 10H9M8 5 4 9l4 4",
  captures: "M12 3v11M8 10l4 4 4-4M4 15v5h16v-5",
  balance: "M4 20h16M6 20v-7M11 20V9M16 20V5",
  authorizations: "M6 3h9l4 4v14H6zM14 3v5h5M9 15l2 2 4-4",
  stores: "M4 10v10h16V10M3 10l2-6h14l2 6zM10 20v-5h4v5",
  brand: "M4 4h16v16H4zM4 9h16M8 14h8v2.500H8z",
  disputes: "M12 3v18M7 21h10M4 7h16M6.500 7 3.500 14a3.2 3.2 0 0 0 6 0zM17.500 7l-3 7a3.2 3.2 0 0 0 6 0z",
  charts: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6",
  notifications: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  calls: "M4 6h10M4 12h16M4 18h7M17 3l3 3-3 3",
  try: "M6 4l13 8-13 8z",
  tools: "M4 7h10M18 7h2M4 17h4M12 17h8M14 4v6M8 14v6",
  keys: "M8 15a4 4 0 1 1 3.5-6H21v3h-2v2h-3v-2h-4.500A4 4 0 0 1 8 15zM8 11h.01",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.300a3.5 3.5 0 0 1 0 6.400M18 14.500a6.5 6.5 0 0 1 3.5 5.5",
  approvals: "M4 12l4 4 7-8M11 15l1.5 1.500L20 8M3 20h18",
  security: "M12 3l8 3v5c0 5-3.4 8.5-8 10-4.6-1.5-8-5-8-10V6zM9 12l2 2 4-4",
  board: "M4 5h16v14H4zM4 10h16M9 10v9",
  providers: "M4 7h14a2 2 0 0 1 2 2v9H6a2 2 0 0 1-2-2zM4 7l11-3v3M16 13h.01",
  breaks: "M4 19h16M7 15V9M12 15V5M17 15v-4M3 3l18 18",
  announcement: "M4 10v4l11 5V5zM15 9a4 4 0 0 1 0 6M7 15v4h3",
  audit: "M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM21 21l-5-5",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.500a7.5 7.5 0 0 1 15 0",
  organisation: "M4 21V5l8-2v18M12 8l8 2v11M2.5 21h19M7 8h2M7 12h2M7 16h2M15 13h2M15 17h2",
  choose: "M8 10l4-4 4 4M8 14l4 4 4-4",
  light:
    "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.400M17.6 17.6 19 19M19 5l-1.4 1.400M6.4 17.6 5 19",
  dark: "M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z",
  leave: "M14 4H5v16h9M10 12h11M17 8l4 4-4 4",
  saved: "M7 3h10v18l-5-4-5 4z",
  remove: "M6 6l12 12M18 6 6 18",
  language: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
} as const;

export type IconName = keyof typeof drawings;

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={drawings[name]} />
    </svg>
  );
}
