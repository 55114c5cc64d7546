import { Button, Skeleton } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "./failure.tsx";

interface Props {
  readonly pages: UseInfiniteQueryResult;
  /** One row for each loaded record. */
  readonly rows: readonly ReactNode[];
  /** The empty state. */
  readonly empty: ReactNode;
  /** The label of the button that loads more; "older" by default. */
  readonly more?: string;
}

/** A list that is loaded page by page, with loading state, error, empty state and a button for more rows. */
export function PagedList({ pages, rows, empty, more }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <Failure error={pages.error} />
      {pages.isPending && <Skeleton height={180} />}
      {pages.isSuccess && rows.length === 0 && empty}
      {rows.length > 0 && <ul className="rows">{rows}</ul>}
      {pages.hasNextPage && (
        <Button
          variant="default"
          onClick={() => void pages.fetchNextPage()}
          loading={pages.isFetchingNextPage}
        >
          {more ?? t("shell.older")}
        </Button>
      )}
    </>
  );
}
