import {
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ask } from "../api/accounts.ts";
import { whileAttended } from "../api/attention.ts";
import { wordOf } from "../api/refused.ts";
import { useCan, useMe } from "../session/me.ts";
import { dayStart } from "../shell/day-start.ts";
import type { AuditFilter } from "./audit-filter-in.ts";
import {
  auditPageOf,
  type AuditPage,
  type AuditRow,
  type AuditSource,
  type Cursors,
} from "./audit-page-of.ts";

export function useAuditFilter(): AuditFilter {
  return useSearch({ strict: false });
}

/** The filter in the words of the servers, which all audits share. */
export interface AskedOfAudit {
  readonly actor?: string;
  readonly act?: string;
  readonly createdFrom?: string;
  readonly createdUntil?: string;
}

export function askedOf({ who, what, from, until }: AuditFilter): AskedOfAudit {
  return {
    ...(who && { actor: who }),
    ...(what && { act: what }),
    ...(from && { createdFrom: dayStart(from, 0) }),
    ...(until && { createdUntil: dayStart(until, 1) }),
  };
}

export type AuditPages = UseInfiniteQueryResult<InfiniteData<AuditPage>>;

const begun: Cursors = {};
const refetchInterval = whileAttended(15_000);

/** Several audits as one list, page by page, that renews itself. */
export function useAudit(filter: AuditFilter, sourcesOf: () => Promise<readonly AuditSource[]>): AuditPages {
  const { organisationId } = useMe();
  return useInfiniteQuery({
    queryKey: ["audit", organisationId, filter],
    queryFn: async ({ pageParam }) => auditPageOf(await sourcesOf(), pageParam, isSignedOut),
    initialPageParam: begun,
    getNextPageParam: ({ next }) => next,
    refetchInterval,
  });
}

/** The page is then loaded anew, which leads to the sign-in. */
function isSignedOut(error: unknown): boolean {
  return wordOf(error) === "NOT_SIGNED_IN";
}

export interface Named {
  readonly name: string;
  readonly email: string;
}

const personId = /per_[A-Za-z0-9_-]{20}/g;

/** All that rows say, in which there may be ids of people. */
export function textsOf(rows: readonly AuditRow[]): readonly string[] {
  return rows.flatMap(({ by, subject, reason = "" }) => [
    by.kind === "person" ? by.personId : "",
    subject,
    reason,
  ]);
}

/** The people behind the ids in these texts. Accounts name those alone whom the reader may know, to whoever may read the audit. */
export function useNames(texts: readonly string[]): ReadonlyMap<string, Named> {
  const { organisationId } = useMe();
  const mayAsk = useCan("sandbox")("audit.read");
  const ids = [...new Set(texts.join(" ").match(personId))].toSorted().slice(0, 300).join(",");
  const { data } = useQuery({
    queryKey: ["audit-people", organisationId, ids],
    queryFn: () => ask("GET /accounts/audit/people", ids ? { ids } : {}),
    enabled: mayAsk,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return new Map(data?.people.map((person) => [person.personId, person]));
}

/** A text in which people are called by their names. */
export function withNames(text: string, names: ReadonlyMap<string, Named>): string {
  return text.replaceAll(personId, (id) => names.get(id)?.name ?? id);
}
