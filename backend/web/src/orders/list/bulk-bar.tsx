import { Button, Menu, Text, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowRight, IconDownload, IconQrcode } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { WorkflowStatus } from '../../api/api';
import { MAX_LABELS } from '../../labels/limits';
import { useSpeech, useWordsOf } from '../../i18n/i18n';
import { STATUSES } from '../statuses';
import { moveAll } from './bulk-move';
import classes from './orders.module.css';
import type { Selection } from './selection';
import { WORDS } from './messages';

/** What can be done to the selected orders. */
export function BulkBar({ selection, exportChosen }: { selection: Selection; exportChosen(): void }) {
  const { words } = useSpeech();
  const said = useWordsOf(WORDS);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { chosen } = selection;
  const tooMany = chosen.length > MAX_LABELS;

  async function move(to: WorkflowStatus) {
    const moves = chosen.filter((order) => order.workflow_status !== to).map((order) => ({ order, to }));
    if (moves.length === 0) {
      notifications.show({ message: said.allThere });
      return;
    }
    selection.choose([]);
    const failed = await moveAll(client, moves, { words, said });
    // what was not moved stays selected, to be tried again
    if (failed.length > 0) selection.choose(failed);
  }

  return (
    <section className={classes.bar} aria-label={said.chosen(chosen.length)}>
      <Text size="sm" fw={600} role="status">
        {said.chosen(chosen.length)}
      </Text>
      <Menu position="bottom-start" shadow="md">
        <Menu.Target>
          <Button size="xs" leftSection={<IconArrowRight size={16} aria-hidden />}>
            {said.moveTo}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {STATUSES.map((status) => (
            <Menu.Item key={status} onClick={() => move(status)}>
              {words.status[status]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Tooltip label={said.tooManyLabels(MAX_LABELS)} disabled={!tooMany}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconQrcode size={16} aria-hidden />}
          data-disabled={tooMany || undefined}
          aria-disabled={tooMany}
          onClick={() => !tooMany && navigate(`/labels?ids=${chosen.map(({ id }) => id).join(',')}`)}
        >
          {said.labels}
        </Button>
      </Tooltip>
      <Button size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={exportChosen}>
        {said.exportChosen}
      </Button>
      <Button size="xs" variant="subtle" onClick={selection.clear}>
        {said.clear}
      </Button>
    </section>
  );
}
