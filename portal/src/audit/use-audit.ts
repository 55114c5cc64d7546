import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { requestAccounts } from "../api/request-accounts.ts";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { errorCodeOf } from "../api/refusal-error.ts";
import { useCan, useMe } from "../session/me.ts";
import { dayStart } from "../components/day-start.ts";
import type { AuditFilter } from "./read-audit-filter.ts";
import {
  mergeAuditLogs,
  type AuditPage,
  type AuditRow,
  type AuditSource,
  type Cursors,
} from "./merge-audit-logs.ts";

export function useAuditFilter(): AuditFilter {
  return useSearch({ strict: false });
}

/** The filter with the servers' field names, which all audit logs share. */
export interface AuditQuery {
  readonly actor?: string;
  readonly act?: string;
  readonly createdFrom?: string;
  readonly createdUntil?: string;
}

export function buildAuditQuery({ who, what, from, until }: AuditFilter): AuditQuery {
  return {
    ...(who && { actor: who }),
    ...(what && { act: what }),
    ...(from && { createdFrom: dayStart(from, 0) }),
    ...(until && { createdUntil: dayStart(until, 1) }),
  };
}

export type AuditPages = UseInfiniteQueryResult<InfiniteData<AuditPage>>;

const firstCursors: Cursors = {};
const refetchInterval = intervalWhileActive(15_000);

/** `useAudit` merges several audit logs into one list, page by page, and refreshes it. */
export function useAudit(filter: AuditFilter, sourcesOf: () => Promise<readonly AuditSource[]>): AuditPages {
  const { organisationId } = useMe();
  return useInfiniteQuery({
    queryKey: ["audit", organisationId, filter],
    queryFn: async ({ pageParam }) => mergeAuditLogs(await sourcesOf(), pageParam, isSignedOut),
    initialPageParam: firstCursors,
    getNextPageParam: ({ next }) => next,
    refetchInterval,
  });
}

/** If the session has expired, the page reloads, which leads to the sign-in page. */
function isSignedOut(error: unknown): boolean {
  return errorCodeOf(error) === "NOT_SIGNED_IN";
}

export interface PersonName {
  readonly name: string;
  readonly email: string;
}

const personId = /per_[A-Za-z0-9_-]{20}/g;

/** `collectTexts` returns all texts of the rows that can contain ids of people. */
export function collectTexts(rows: readonly AuditRow[]): readonly string[] {
  return rows.flatMap(({ by, subject, reason = "" }) => [
    by.kind === "person" ? by.personId : "",
    subject,
    reason,
  ]);
}

/** `useNames` resolves the ids of people in these texts. Accounts return only names that the reader may see. */
export function useNames(texts: readonly string[]): ReadonlyMap<string, PersonName> {
  const { organisationId } = useMe();
  const isPermitted = useCan("sandbox")("audit.read");
  const ids = [...new Set(texts.join(" ").match(personId))].toSorted().slice(0, 300).join(",");
  const { data } = useQuery({
    queryKey: ["audit-people", organisationId, ids],
    queryFn: () => requestAccounts("GET /accounts/audit/people", ids ? { ids } : {}),
    enabled: isPermitted,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return new Map(data?.people.map((person) => [person.personId, person]));
}

/** `insertNames` replaces ids of people in a text with their names. */
export function insertNames(text: string, names: ReadonlyMap<string, PersonName>): string {
  return text.replaceAll(personId, (id) => names.get(id)?.name ?? id);
}
