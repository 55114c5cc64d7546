import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  readonly name: string;
  readonly onChosen: () => void;
  /**
   * The reason why the action is not available, now or for this person. The page shows such an action as disabled, with
   * the reason.
   */
  readonly whyNot: string | undefined;
  /** True for the main action of the page. */
  readonly isUsual?: boolean;
  /** The dialog of the action. */
  readonly children: ReactNode;
}

/** An action of the page. An unavailable action stays visible, so that people do not search for it. */
export function Offer({ name, onChosen, whyNot, isUsual = false, children }: Props): ReactNode {
  return (
    <Group gap="xs" className="offer">
      <Button variant={isUsual ? "filled" : "default"} onClick={onChosen} disabled={whyNot !== undefined}>
        {name}
      </Button>
      {whyNot !== undefined && (
        <Text size="sm" c="dimmed">
          {whyNot}
        </Text>
      )}
      {children}
    </Group>
  );
}
