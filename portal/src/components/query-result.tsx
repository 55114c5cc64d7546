import { Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";

interface Props<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error">;
  readonly children: (data: Data) => ReactNode;
}

/**
 * `QueryResult` shows the result of a query. A refused query shows the error, and a running query shows a skeleton, so
 * that neither looks like an empty list.
 */
export function QueryResult<Data>({ query: { data, error }, children }: Props<Data>): ReactNode {
  return (
    <>
      <Failure error={error} />
      {data === undefined && !error && <Skeleton height={180} />}
      {data !== undefined && children(data)}
    </>
  );
}
