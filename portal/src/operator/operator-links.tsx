import { Anchor } from "@mantine/core";
import { Link, useParams, useRouter, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Environment } from "../api/environments.ts";

interface Props {
  readonly to: string;
  /** What is looked for there. */
  readonly of?: string;
  readonly className?: string;
  /** What it is called where its words are not shown. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A link to a page of the console. */
export function PageLink({ to, of, className, label, children }: Props): ReactNode {
  // The compiler knows the portal's addresses alone.
  const search = (() => (of === undefined ? {} : { of })) as never;
  return (
    <Anchor component={Link} to={to} search={search} className={className} aria-label={label}>
      {children}
    </Anchor>
  );
}

/** The environment of the page's address. */
export function useStaffEnvironment(): Environment {
  const { environment } = useParams({ strict: false });
  return environment === "live" ? "live" : "sandbox";
}

/** What is looked for, which stands in the address: it survives a reload, and can be sent to a colleague. */
export function useSought(): { readonly sought: string | undefined; readonly seek: (of: string) => void } {
  const { of: sought } = useSearch({ strict: false }) as { readonly of?: string };
  const router = useRouter();
  const seek = (of: string): void => {
    const query = of === "" ? "" : `?${new URLSearchParams({ of }).toString()}`;
    router.history.push(`${router.history.location.pathname}${query}`);
  };
  return { sought, seek };
}
