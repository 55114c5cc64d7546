import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

interface Props {
  readonly icon: IconName;
  readonly title: string;
  readonly lede: ReactNode;
  readonly children?: ReactNode;
  /** True if the page contains only this empty state. */
  readonly isAll?: boolean;
}

/** The empty state of a page: the reason, and the next step. */
export function EmptyState({ icon, title, lede, children, isAll = false }: Props): ReactNode {
  return (
    <Stack className="empty" align="center" gap="sm">
      <span className="empty-icon">
        <Icon name={icon} size={28} />
      </span>
      <Title order={isAll ? 1 : 2} size="h4" ta="center">
        {title}
      </Title>
      <Text c="dimmed" ta="center" maw="34rem">
        {lede}
      </Text>
      {children && (
        <Group mt="xs" justify="center">
          {children}
        </Group>
      )}
    </Stack>
  );
}
