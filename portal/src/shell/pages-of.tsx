import { Button, Skeleton } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "./failure.tsx";

interface Listed {
  readonly pages: UseInfiniteQueryResult;
  /** One for each record, so far. */
  readonly rows: readonly ReactNode[];
  /** What to say when there are none. */
  readonly empty: ReactNode;
  /** What the button says that shows more; "older", unless they come in another order. */
  readonly more?: string;
}

/** A list that is fetched page by page: while it comes, when it fails, when it is empty, and how to see older ones. */
export function PagesOf({ pages, rows, empty, more }: Listed): ReactNode {
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
