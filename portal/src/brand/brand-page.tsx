import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { performAct, queryView, type ClientScope } from "../api/console-requests.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Acts } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Facts } from "../components/facts.tsx";
import { Failure } from "../components/failure.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Section } from "../components/section.tsx";
import { CheckoutPreview } from "./checkout-preview.tsx";
import { ColourField } from "./colour-field.tsx";
import { LogoField } from "./logo-field.tsx";
import {
  findChanges,
  findColourFault,
  isSupportUrl,
  readAppearance,
  type Draft,
  type BrandAppearance,
} from "./brand-draft.ts";
import { SupportField } from "./support-field.tsx";

export function BrandPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/checkout-page" });
  return (
    <>
      <PageHead title={t("brand.title")} lede={t("brand.lede")} />
      <WithClient environment={environment}>
        {(scope) => <Brand key={scope.environment + scope.clientId} scope={scope} />}
      </WithClient>
    </>
  );
}

function Brand({ scope }: { readonly scope: ClientScope }): ReactNode {
  const isPermitted = useCan(scope.environment)("brand.change");
  const query = useQuery({ queryKey: ["brand", scope], queryFn: () => queryView(scope, "brand", {}) });
  if (query.error) return <Failure error={query.error} />;
  if (!query.data) return <Skeleton height={320} />;
  const saved = readAppearance(query.data);
  return isPermitted ? <Editor scope={scope} saved={saved} /> : <ReadOnlyBrand appearance={saved} />;
}

/**
 * `ReadOnlyBrand` is the view for roles that cannot change the brand. It shows the current values, and the reason why
 * editing is disabled.
 */
function ReadOnlyBrand({ appearance }: { readonly appearance: BrandAppearance }): ReactNode {
  const { t } = useTranslation();
  const { colour, logo, supportUrl } = appearance;
  return (
    <div className="look">
      <Stack>
        <Text>{t("brand.mayNot")}</Text>
        <Facts
          facts={[
            [t("brand.colour"), colour || t("brand.none")],
            [t("brand.logo"), t(logo ? "brand.isSet" : "brand.none")],
            [t("brand.support"), supportUrl || t("brand.none")],
          ]}
        />
      </Stack>
      <Preview appearance={appearance} />
    </div>
  );
}

interface EditorProps {
  readonly scope: ClientScope;
  readonly saved: BrandAppearance;
}

/** All edits are a draft until they are saved, so the person sees a preview first and re-authenticates only once. */
function Editor({ scope, saved }: EditorProps): ReactNode {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<Draft>({});
  const appearance = { ...saved, ...draft };
  const changes = findChanges(saved, appearance);
  const isValid =
    !findColourFault(appearance.colour) && isSupportUrl(appearance.supportUrl, scope.environment);
  const change = useAct(
    (request: Acts["changeBrand"]["request"]) => performAct(scope, "changeBrand", request),
    () => setDraft({}),
  );
  const edit = (edited: Draft): void => {
    change.reset();
    setDraft((before) => ({ ...before, ...edited }));
  };
  return (
    <div className="look">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changes && isValid) change.mutate(changes);
        }}
      >
        <Stack gap="xl">
          <ColourField colour={appearance.colour} onChange={(colour) => edit({ colour })} />
          <LogoField logo={appearance.logo} onChange={(logo) => edit({ logo })} />
          <SupportField
            address={appearance.supportUrl}
            environment={scope.environment}
            onChange={(supportUrl) => edit({ supportUrl })}
          />
          <Failure error={change.error} />
          <Group gap="sm">
            <Button type="submit" disabled={!changes || !isValid} loading={change.isPending}>
              {t("brand.save")}
            </Button>
            {changes && (
              <Button variant="subtle" onClick={() => setDraft({})} disabled={change.isPending}>
                {t("brand.discard")}
              </Button>
            )}
            <Text size="sm" role="status">
              {changes ? t("brand.unsaved") : change.isSuccess && t("brand.saved")}
            </Text>
          </Group>
        </Stack>
      </form>
      <Preview appearance={appearance} />
    </div>
  );
}

function Preview({ appearance }: { readonly appearance: BrandAppearance }): ReactNode {
  const { t } = useTranslation();
  return (
    <Section title={t("brand.preview")}>
      <Stack gap="md">
        <CheckoutPreview appearance={appearance} theme="light" />
        <CheckoutPreview appearance={appearance} theme="dark" />
        <Text size="sm" c="dimmed">
          {t("brand.previewMeans")}
        </Text>
      </Stack>
    </Section>
  );
}
