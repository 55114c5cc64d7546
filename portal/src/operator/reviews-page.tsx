import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { intervalWhileActive } from "../api/idle-refresh.ts";
import { requestAccounts } from "../api/request-accounts.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PageLink } from "./operator-links.tsx";
import { ReviewStatus } from "./review-page.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

/** Merchants' organisations; pending reviews come first. */
export function ReviewsPage(): ReactNode {
  const { t } = useConsoleTexts();
  const { data, error } = useQuery({
    queryKey: ["merchants"],
    queryFn: () => requestAccounts("GET /accounts/merchants", {}),
    refetchInterval: intervalWhileActive(30_000),
  });
  return (
    <>
      <PageHead title={t("reviews.title")} lede={t("reviews.lede")} />
      <Failure error={error} />
      {data?.merchants.length === 0 && (
        <EmptyState icon="organisation" title={t("reviews.noneTitle")} lede={t("reviews.none")} />
      )}
      {data && data.merchants.length > 0 && (
        <ul className="rows">
          {data.merchants.map(({ organisationId, name, status, submittedAt }) => (
            <li
              key={organisationId}
              className="case"
              data-tone={status === "submitted" ? "unknown" : undefined}
            >
              <div className="case-words">
                <PageLink to={`/reviews/${organisationId}`}>{name}</PageLink>
                <Text size="sm" c="dimmed">
                  <span className="id">{organisationId}</span>
                  {submittedAt && (
                    <>
                      {" "}
                      · {t("reviews.submittedAt")} <Moment at={submittedAt} />
                    </>
                  )}
                </Text>
              </div>
              <ReviewStatus status={status} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
