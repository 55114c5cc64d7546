import { Alert, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { queryView, type ClientScope } from "../api/console-requests.ts";
import { findGateway } from "../api/environments.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Views } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { CopyableText } from "../components/copyable-text.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Failure } from "../components/failure.tsx";
import { LinkAnchor, LinkButton } from "../components/links.tsx";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { RequestCodeView } from "./request-code-view.tsx";
import { CallStatus, UnverifiedCaller } from "./call-status.tsx";
import { indentJson } from "./format-json.ts";

type Call = NonNullable<Views["recentCall"]["response"]["call"]>;

export function CallPage(): ReactNode {
  const { t } = useTranslation();
  const { environment, requestId } = useParams({ from: "/shell/$environment/calls/$requestId" });
  return (
    <>
      <LinkAnchor to="/$environment/calls" params={{ environment }} size="sm">
        ← {t("calls.title")}
      </LinkAnchor>
      <PageHead title={t("calls.one")} lede={<span className="id">{requestId}</span>} />
      <WithClient environment={environment}>
        {(scope) => <CallDetails scope={scope} requestId={requestId} />}
      </WithClient>
    </>
  );
}

function CallDetails({
  scope,
  requestId,
}: {
  readonly scope: ClientScope;
  readonly requestId: string;
}): ReactNode {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["recentCall", scope, requestId],
    queryFn: () => queryView(scope, "recentCall", { requestId }),
    // A stored API request does not change, and the gateway may forget it while the page is open.
    staleTime: Infinity,
  });
  if (query.error) return <Failure error={query.error} />;
  if (!query.data) return <Skeleton height={320} />;
  const { call } = query.data;
  if (!call) return <EmptyState icon="calls" title={t("calls.goneTitle")} lede={t("calls.gone")} />;
  return (
    <Stack gap="xl">
      <Summary scope={scope} call={call} />
      <Verdict call={call} />
      <SignedText call={call} />
      <Answer call={call} />
      {call.requestBody !== "" && (
        <RequestCodeView
          scope={scope}
          path={call.path}
          keyVersion={call.keyVersion}
          body={call.requestBody}
        />
      )}
    </Stack>
  );
}

function Summary({ scope, call }: { readonly scope: ClientScope; readonly call: Call }): ReactNode {
  const { t } = useTranslation();
  const isPermitted = useCan(scope.environment)("sandbox.steer");
  const docs = `${findGateway(scope.environment)?.url ?? ""}/docs/results#${call.resultCode}`;
  return (
    <section>
      <Group gap="sm" mb="sm">
        <a href={docs} target="_blank" rel="noreferrer">
          <CallStatus call={call} />
        </a>
        {!call.isProven && <UnverifiedCaller />}
        <span className="id">{call.path}</span>
        {call.requestBody !== "" && isPermitted && (
          <LinkButton
            variant="default"
            size="xs"
            ml="auto"
            to="/$environment/try"
            params={{ environment: scope.environment }}
            search={{ again: call.requestId }}
          >
            {t("calls.again")}
          </LinkButton>
        )}
      </Group>
      <dl className="facts">
        <div>
          <dt>{t("calls.came")}</dt>
          <dd>
            <Moment at={call.createdTime} />, {t("calls.from", { network: call.network })}
          </dd>
        </div>
        <div>
          <dt>{t("calls.took")}</dt>
          <dd>{call.durationMs} ms</dd>
        </div>
      </dl>
    </section>
  );
}

function Verdict({ call }: { readonly call: Call }): ReactNode {
  const { t } = useTranslation();
  if (call.isProven) return <Text>{t("calls.held", { version: call.keyVersion })}</Text>;
  return (
    <Alert className="failure" variant="light" title={t("calls.verdict")}>
      <Text>{call.verdict ?? t("calls.noVerdict")}</Text>
      <Text size="sm" mt="xs">
        {t("calls.unprovenMeans")}
      </Text>
    </Alert>
  );
}

/** `SignedText` shows the signed bytes of the API request, with redacted secrets. */
function SignedText({ call }: { readonly call: Call }): ReactNode {
  const { t } = useTranslation();
  const { signedHead, signedBytes, signedSha256, requestBody, isProven } = call;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t(isProven ? "calls.signed" : "calls.verified")}
      </Title>
      <Text c="dimmed" mb="sm" maw="44rem">
        {t("calls.signedLede")}
      </Text>
      <Code block className="command">
        {signedHead}
        {requestBody || t("calls.unreadable")}
      </Code>
      <dl className="facts" data-spaced>
        <div>
          <dt>{t("calls.bytes")}</dt>
          <dd>{t("calls.bytesOf", { bytes: signedBytes })}</dd>
        </div>
        <div>
          <dt>SHA-256</dt>
          <dd className="id">
            {signedSha256 === undefined ? t("calls.noHash") : <CopyableText text={signedSha256} />}
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Answer({ call: { answerBody } }: { readonly call: Call }): ReactNode {
  const { t } = useTranslation();
  if (answerBody === "") return undefined;
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t("calls.answer")}
      </Title>
      <Code block className="command">
        {indentJson(answerBody)}
      </Code>
    </section>
  );
}
