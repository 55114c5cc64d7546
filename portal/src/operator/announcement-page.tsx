import { Button, NumberInput, SegmentedControl, Stack, Text, Textarea, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { requestAccounts } from "../api/request-accounts.ts";
import { useAct } from "../session/use-act.ts";
import { QueryResult } from "../components/query-result.tsx";
import { announcementQuery, Announcement } from "../shell/announcement.tsx";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { Moment } from "../components/moment.tsx";
import { PageHead } from "../components/page-head.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Tone = "notice" | "warning";

/** The page that sets the message at the top of every page of the merchant portal. */
export function AnnouncementPage(): ReactNode {
  const { t } = useConsoleTexts();
  const announced = useQuery(announcementQuery);
  const endAnnouncement = useAct(() => requestAccounts("POST /accounts/announcement/end", {}));
  return (
    <>
      <PageHead title={t("announcement.title")} lede={t("announcement.lede")} />
      <Title order={2} size="h4" mb="sm">
        {t("announcement.now")}
      </Title>
      <Failure error={endAnnouncement.error} />
      <QueryResult query={announced}>
        {({ announcement }) =>
          announcement ? (
            <Stack align="flex-start" gap="xs">
              <Announcement />
              <Text size="sm" c="dimmed">
                → <Moment at={announcement.endsAt} />
              </Text>
              <Button
                variant="default"
                size="xs"
                onClick={() => endAnnouncement.mutate()}
                loading={endAnnouncement.isPending}
              >
                {t("announcement.end")}
              </Button>
            </Stack>
          ) : (
            <Text c="dimmed">{t("announcement.noneNow")}</Text>
          )
        }
      </QueryResult>
      <NewAnnouncement />
    </>
  );
}

function NewAnnouncement(): ReactNode {
  const { t } = useConsoleTexts();
  const [tone, setTone] = useState<Tone>("notice");
  const set = useAct(({ text, hours }: Readonly<Record<"text" | "hours", string>>) =>
    requestAccounts("POST /accounts/announcement", { text, hours: Number(hours), tone }),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        set.mutate(readFields(form, ["text", "hours"]), { onSuccess: () => form.reset() });
      }}
    >
      <Stack maw="34rem" mt="xl">
        <Failure error={set.error} />
        <Textarea name="text" label={t("announcement.text")} maxLength={500} autosize minRows={2} required />
        <SegmentedControl
          aria-label={t("announcement.tone")}
          value={tone}
          onChange={(value) => setTone(value === "warning" ? "warning" : "notice")}
          data={[
            { value: "notice", label: t("announcement.notice") },
            { value: "warning", label: t("announcement.warning") },
          ]}
        />
        <NumberInput
          name="hours"
          label={t("announcement.hours")}
          defaultValue={24}
          min={1}
          max={720}
          allowDecimal={false}
          required
        />
        <Button type="submit" loading={set.isPending}>
          {t("announcement.set")}
        </Button>
      </Stack>
    </form>
  );
}
