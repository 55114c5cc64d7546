import { Button, Group, Text } from "@mantine/core";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Place } from "../api/console.ts";
import { Failure } from "../components/failure.tsx";
import { saveReport } from "./save-report.ts";

interface Props {
  readonly place: Place;
  readonly asked: Parameters<typeof saveReport>[1];
  readonly label: string;
}

type State =
  | { readonly is: "idle" }
  | { readonly is: "running"; readonly number: number }
  | { readonly is: "done"; readonly number: number; readonly file: string }
  | { readonly is: "failed"; readonly error: Error };

/** A button that downloads a report and shows the progress. */
export function ReportButton({ place, asked, label }: Props): ReactNode {
  const { t, i18n } = useTranslation();
  const [state, setState] = useState<State>({ is: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(): Promise<void> {
    const abort = new AbortController();
    running.current = abort;
    setState({ is: "running", number: 0 });
    try {
      const onProgress = (number: number): void => setState({ is: "running", number });
      const { rowCount, isWhole, file } = await saveReport(place, asked, onProgress, abort.signal);
      setState(isWhole ? { is: "done", number: rowCount, file } : { is: "idle" });
    } catch (error) {
      setState({ is: "failed", error: error as Error });
    }
  }

  const number = (count: number): string => new Intl.NumberFormat(i18n.language).format(count);
  return (
    <Group gap="sm">
      <Button variant="default" size="xs" loading={state.is === "running"} onClick={() => void save()}>
        {label}
      </Button>
      {state.is === "failed" && <Failure error={state.error} />}
      <Text size="sm" c="dimmed" role="status">
        {state.is === "running" && t("lists.settlement.lines", { number: number(state.number) })}
        {state.is === "done" && t("export.done", { number: number(state.number), file: state.file })}
      </Text>
    </Group>
  );
}
