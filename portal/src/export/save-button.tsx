import { Button, Group, Text } from "@mantine/core";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Failure } from "../components/failure.tsx";
import { savePages, type PagesToSave } from "./save-pages.ts";

interface Props<Row> {
  readonly source: Omit<PagesToSave<Row>, "onProgress" | "signal">;
  /** The time of a row, shown as progress. */
  readonly readTime: (row: Row) => string;
}

type State =
  | { readonly status: "idle" }
  | { readonly status: "running"; readonly number: number; readonly until: string }
  | { readonly status: "done" | "stopped"; readonly number: number }
  | { readonly status: "failed"; readonly error: Error };

/** A button that downloads a whole list, not only the loaded rows, and shows the progress. */
export function SaveButton<Row>({ source, readTime }: Props<Row>): ReactNode {
  const { t, i18n } = useTranslation();
  const [state, setState] = useState<State>({ status: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function save(): Promise<void> {
    const abort = new AbortController();
    running.current = abort;
    setState({ status: "running", number: 0, until: "" });
    const onProgress = (number: number, last: Row | undefined): void =>
      setState({ status: "running", number, until: last ? readTime(last).slice(0, 10) : "" });
    try {
      const { rowCount, isComplete } = await savePages({ ...source, onProgress, signal: abort.signal });
      setState({ status: isComplete ? "done" : "stopped", number: rowCount });
    } catch (error) {
      setState({ status: "failed", error: error as Error });
    }
  }

  const number = (count: number): string => new Intl.NumberFormat(i18n.language).format(count);
  return (
    <Group gap="sm">
      {state.status === "failed" && <Failure error={state.error} />}
      <Text size="sm" c="dimmed" role="status">
        {state.status === "running" &&
          t("export.running", { number: number(state.number), until: state.until })}
        {state.status === "done" && t("export.done", { number: number(state.number), file: source.file })}
        {state.status === "stopped" && t("export.stopped", { number: number(state.number) })}
      </Text>
      {state.status === "running" ? (
        <Button variant="default" size="xs" onClick={() => running.current?.abort()}>
          {t("export.stop")}
        </Button>
      ) : (
        <Button variant="default" size="xs" onClick={() => void save()}>
          {t("export.do")}
        </Button>
      )}
    </Group>
  );
}
