import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  readonly name: string;
  readonly onSelect: () => void;
  /**
   * The reason why the action is not available, now or for this person. The page shows such an action as disabled, with
   * the reason.
   */
  readonly disabledReason: string | undefined;
  /** True for the main action of the page. */
  readonly isPrimary?: boolean;
  /** The dialog of the action. */
  readonly children: ReactNode;
}

/** An action of the page. An unavailable action stays visible, so that people do not search for it. */
export function PageAction({
  name,
  onSelect,
  disabledReason,
  isPrimary = false,
  children,
}: Props): ReactNode {
  return (
    <Group gap="xs" className="offer">
      <Button
        variant={isPrimary ? "filled" : "default"}
        onClick={onSelect}
        disabled={disabledReason !== undefined}
      >
        {name}
      </Button>
      {disabledReason !== undefined && (
        <Text size="sm" c="dimmed">
          {disabledReason}
        </Text>
      )}
      {children}
    </Group>
  );
}
