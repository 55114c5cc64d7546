import { Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ClientScope } from "../api/console-requests.ts";
import { usePages } from "../api/use-pages.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { PagedList } from "../components/paged-list.tsx";

type Store = Views["stores"]["response"]["stores"][number];

const tones: Readonly<Record<Store["registrationStatus"], "happened" | "refused" | "unknown">> = {
  PROCESSING: "unknown",
  COMPLETED: "happened",
  REJECTED: "refused",
};

export function StoresPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/stores" });
  return (
    <>
      <PageHead title={t("lists.stores.title")} lede={t("lists.stores.lede")} />
      <WithClient environment={environment}>{(scope) => <Stores scope={scope} />}</WithClient>
    </>
  );
}

function Stores({ scope }: { readonly scope: ClientScope }): ReactNode {
  const { t } = useTranslation();
  const pages = usePages(scope, "stores", {});
  const stores = pages.data?.pages.flatMap((page) => page.stores) ?? [];
  return (
    <Stack>
      <PagedList
        pages={pages}
        rows={stores.map((each) => (
          <StoreRow key={each.registrationId} store={each} />
        ))}
        empty={<EmptyState icon="stores" title={t("lists.stores.noneTitle")} lede={t("lists.stores.none")} />}
      />
    </Stack>
  );
}

/** A registration, with the decision of each payment provider. */
function StoreRow({ store }: { readonly store: Store }): ReactNode {
  const { t } = useTranslation();
  const { registrationStatus: status, storeName, referenceMerchantId, referenceStoreId, providers } = store;
  return (
    <li className="row">
      <span className="row-sum">{storeName ?? referenceStoreId ?? t("lists.stores.merchant")}</span>
      <span className="status" data-tone={tones[status]}>
        {t(`lists.stores.status.${status}`)}
      </span>
      <span className="row-what">
        <span className="id">{[referenceMerchantId, referenceStoreId].filter(Boolean).join(" / ")}</span>
        {providers.map(({ provider, providerStatus, rejectReasons }) => (
          <small key={provider}>
            {[`${provider} ${t(`lists.stores.provider.${providerStatus}`)}`, ...rejectReasons].join(" · ")}
          </small>
        ))}
      </span>
      <span className="row-when">
        <Moment at={store.createdTime} />
      </span>
    </li>
  );
}
