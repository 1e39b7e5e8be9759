import { useDroppable } from '@dnd-kit/core';
import { Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMessages } from '../i18n/i18n';
import { IconAction } from '../ui/icon-action';
import { IconArrowDown, IconArrowUp, IconDots, IconPencil, IconPlugConnected, IconTrash } from '../ui/icons.tsx';
import { MESSAGES as AGENT_MESSAGES } from './agents/messages';
import { MESSAGES } from './messages';
import classes from './printers.module.css';
import type { Group } from './printers-api';

export interface GroupActions {
  rename(group: Group): void;
  agents(group: Group): void;
  remove(group: Group): void;
  /** absent if it can't be moved there */
  up: (() => void) | undefined;
  down: (() => void) | undefined;
}

/** Drop target ID of a group; null for printers without a group. */
const groupDropId = (group: Group | null) => `group-${group?.id ?? 'none'}`;

interface SectionProps {
  /** null for printers without a group */
  group: Group | null;
  /** undefined if there are no groups at all */
  title: string | undefined;
  count: number;
  actions: GroupActions | undefined;
  children: ReactNode;
}

export function GroupSection({ group, title, count, actions, children }: SectionProps) {
  const messages = useMessages(MESSAGES);
  const { setNodeRef, isOver } = useDroppable({ id: groupDropId(group), data: { groupId: group?.id ?? null } });
  const id = `heading-${groupDropId(group)}`;
  return (
    <section
      ref={setNodeRef}
      className={classes.group}
      data-over={isOver || undefined}
      data-group={group?.id ?? 'none'}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (
        <header className={classes.head}>
          <h2 id={id}>{title}</h2>
          <span className={classes.count}>{messages.printers(count)}</span>
          {group && actions && <GroupMenu group={group} actions={actions} />}
        </header>
      )}
      {count === 0 && (
        <Text size="sm" c="dimmed" px="sm" pb="sm">
          {messages.emptyGroup}
        </Text>
      )}
      <ul className={classes.list}>{children}</ul>
    </section>
  );
}

function GroupMenu({ group, actions }: { group: Group; actions: GroupActions }) {
  const messages = useMessages(MESSAGES);
  const agentMessages = useMessages(AGENT_MESSAGES);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconAction variant="subtle" color="gray" label={messages.menu(group.name)}>
          <IconDots size={18} aria-hidden />
        </IconAction>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => actions.rename(group)}>
          {messages.rename}
        </Menu.Item>
        <Menu.Item leftSection={<IconPlugConnected size={16} aria-hidden />} onClick={() => actions.agents(group)}>
          {agentMessages.groupAgents}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowUp size={16} aria-hidden />} disabled={!actions.up} onClick={actions.up}>
          {messages.groupUp}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={16} aria-hidden />}
          disabled={!actions.down}
          onClick={actions.down}
        >
          {messages.groupDown}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => actions.remove(group)}>
          {messages.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
