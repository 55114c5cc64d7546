import { Stack } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { Moment } from "../components/moment.tsx";
import { EmptyList } from "../components/empty-list.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";
import { StatusFilter } from "../components/status-filter.tsx";

type Authorization = Views["authorizations"]["response"]["authorizations"][number];
type Status = Authorization["authorizationStatus"];

const tones: Readonly<Record<Status, "happened" | "refused" | "unknown" | "quiet">> = {
  ASKED: "unknown",
  AGREED: "unknown",
  ACTIVE: "happened",
  DECLINED: "refused",
  REVOKED: "quiet",
  CANCELED: "quiet",
  EXPIRED: "quiet",
};

export function AuthorizationsPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/authorizations" });
  return (
    <>
      <PageHead title={t("lists.authorizations.title")} lede={t("lists.authorizations.lede")} />
      <WithClient environment={environment}>{(scope) => <Authorizations scope={scope} />}</WithClient>
    </>
  );
}

function Authorizations({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const { authorizationStatus } = useSearch({ from: "/shell/$environment/authorizations" });
  const pages = usePages(scope, "authorizations", authorizationStatus ? { authorizationStatus } : {});
  const authorizations = pages.data?.pages.flatMap((page) => page.authorizations) ?? [];
  return (
    <Stack>
      <StatusFilter
        label={t("lists.status")}
        name="authorizationStatus"
        value={authorizationStatus}
        choices={(Object.keys(tones) as Status[]).map((value) => ({
          value,
          label: t(`lists.authorizations.status.${value}`),
        }))}
      />
      <PagedList
        pages={pages}
        rows={authorizations.map((each) => (
          <AuthorizationRow key={each.authorizationId} authorization={each} />
        ))}
        empty={
          <EmptyList
            icon="authorizations"
            title={t("lists.authorizations.noneTitle")}
            lede={t("lists.authorizations.none")}
            isFiltered={authorizationStatus !== undefined}
          />
        }
      />
    </Stack>
  );
}

function AuthorizationRow({ authorization }: { readonly authorization: Authorization }): ReactNode {
  const { t } = useTranslation();
  const { authorizationStatus: status, customerBelongsTo, authState, userLoginId } = authorization;
  const isOpen = status === "ASKED" || status === "AGREED" || status === "ACTIVE";
  return (
    <li className="row">
      <span className="row-sum">{customerBelongsTo}</span>
      <span className="status" data-tone={tones[status]}>
        {t(`lists.authorizations.status.${status}`)}
      </span>
      <span className="row-what">
        {[userLoginId, authorization.authorizationResultCode, ...authorization.scopes]
          .filter(Boolean)
          .join(" · ")}
        <small className="id">{authState}</small>
        {isOpen && (
          <small>
            {t("lists.authorizations.until")} <Moment at={authorization.expiryTime} />
          </small>
        )}
      </span>
      <span className="row-when">
        <Moment at={authorization.createdTime} />
      </span>
    </li>
  );
}
