import { Anchor } from "@mantine/core";
import { Link, useParams, useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Environment } from "../api/environments.ts";

interface Props {
  readonly to: string;
  /** The search text on the target page. */
  readonly of?: string;
  readonly className?: string;
  /** The accessible name if the link has no text. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A link to a page of the console. */
export function PageLink({ to, of, className, label, children }: Props): ReactNode {
  // The cast is necessary because the library's types know only the portal's routes, and not the console's.
  const search = (() => (of === undefined ? {} : { of })) as never;
  return (
    <Anchor component={Link} to={to} search={search} className={className} aria-label={label}>
      {children}
    </Anchor>
  );
}

/** The environment in the page's URL. */
export function useStaffEnvironment(): Environment {
  const { environment } = useParams({ strict: false });
  return environment === "live" ? "live" : "sandbox";
}

/** The search text of the page. It is part of the URL, so it survives a reload and can be shared. */
export function useSearchText(): {
  readonly searchText: string | undefined;
  readonly onSearch: (of: string) => void;
} {
  const { of: searchText } = useSearch({ strict: false }) as { readonly of?: string };
  const router = useRouter();
  const onSearch = (of: string): void => {
    const query = of === "" ? "" : `?${new URLSearchParams({ of }).toString()}`;
    router.history.push(`${router.history.location.pathname}${query}`);
  };
  return { searchText, onSearch };
}
