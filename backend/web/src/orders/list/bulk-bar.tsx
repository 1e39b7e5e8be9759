import { Button, Menu, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { useI18n, useMessages } from '../../i18n/i18n';
import { MAX_LABELS } from '../../labels/limits';
import type { WorkflowStatus } from '../../order-data/orders-api';
import { STATUSES } from '../../order-data/statuses';
import { IconArrowRight, IconDownload, IconQrcode } from '../../ui/icons.tsx';
import { moveOrders } from './bulk-move';
import { MESSAGES } from './messages';
import classes from './orders.module.css';
import type { Selection } from './selection';

/** Actions on the selected orders. */
export function BulkBar({ selection, exportChosen }: { selection: Selection; exportChosen(): void }) {
  const { messages } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { chosen } = selection;
  const tooMany = chosen.length > MAX_LABELS;

  async function move(to: WorkflowStatus) {
    const moves = chosen.filter((order) => order.workflow_status !== to).map((order) => ({ order, to }));
    if (moves.length === 0) {
      notifications.show({ message: pageMessages.allThere });
      return;
    }
    selection.choose([]);
    const failed = await moveOrders(client, moves, { messages, pageMessages });
    // failed orders stay selected for a retry
    if (failed.length > 0) selection.choose(failed);
  }

  return (
    <section className={classes.bar} aria-label={pageMessages.chosen(chosen.length)}>
      <Text size="sm" fw={600} role="status">
        {pageMessages.chosen(chosen.length)}
      </Text>
      <Menu position="bottom-start" shadow="md">
        <Menu.Target>
          <Button size="xs" leftSection={<IconArrowRight size={16} aria-hidden />}>
            {pageMessages.moveTo}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {STATUSES.map((status) => (
            <Menu.Item key={status} onClick={() => move(status)}>
              {messages.status[status]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Tooltip label={pageMessages.tooManyLabels(MAX_LABELS)} disabled={!tooMany}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconQrcode size={16} aria-hidden />}
          {...(tooMany && { 'data-disabled': true })}
          aria-disabled={tooMany}
          onClick={() => !tooMany && navigate(`/labels?ids=${chosen.map(({ id }) => id).join(',')}`)}
        >
          {pageMessages.labels}
        </Button>
      </Tooltip>
      <Button size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={exportChosen}>
        {pageMessages.exportChosen}
      </Button>
      <Button size="xs" variant="subtle" onClick={selection.clear}>
        {pageMessages.clear}
      </Button>
    </section>
  );
}
