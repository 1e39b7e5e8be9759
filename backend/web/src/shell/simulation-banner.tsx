import { Badge, Button, Progress, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client';
import { removeSimulation, simulationQuery } from '../auth/simulation-api';
import { MESSAGES } from '../auth/simulation-messages';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import classes from './simulation-banner.module.css';

const twoDigits = (n: number) => String(n).padStart(2, '0');

/** Says on every page that the farm is simulated, shows what its printers do, and removes it. */
export function SimulationBanner() {
  const { messages } = useI18n();
  const own = useMessages(MESSAGES);
  const simulation = useQuery(simulationQuery).data?.simulation;
  const remove = useMutation({
    mutationFn: removeSimulation,
    onError: (error) => notifications.show({ color: 'red', message: formatError(error, messages) }),
  });
  if (!simulation) return null;
  const { minute, is_over, printers } = simulation;
  return (
    <section className={classes.banner} aria-label={own.label}>
      <div className={classes.lead}>
        <Badge color="grape.9" radius="sm" className={classes.badge}>
          {own.label}
        </Badge>
        {minute !== null && (
          <Text component="span" size="sm" fw={700} className={classes.clock} title={own.clock}>
            {twoDigits(Math.floor(minute / 60))}:{twoDigits(minute % 60)}
          </Text>
        )}
        <Text component="span" size="sm" {...(is_over ? {} : { visibleFrom: 'sm' })}>
          {is_over ? own.over : own.lead}
        </Text>
      </div>
      <ul className={classes.printers}>
        {printers.map((printer) => (
          <Printer key={printer.printer_id} printer={printer} />
        ))}
      </ul>
      <Button
        size="compact-sm"
        variant="default"
        className={classes.remove}
        loading={remove.isPending}
        onClick={() => remove.mutate()}
      >
        {own.remove}
      </Button>
    </section>
  );
}

function Printer({ printer: { name, order_name, percent } }: { printer: Schemas['SimulatedPrinter'] }) {
  const own = useMessages(MESSAGES);
  return (
    <li className={classes.printer}>
      <Text component="span" size="xs" fw={600}>
        {name}
      </Text>
      <Text component="span" size="xs" truncate>
        {order_name ?? own.idle}
      </Text>
      <Progress.Root size="sm" className={classes.bar}>
        <Progress.Section
          value={order_name === null ? 0 : percent}
          color="grape.7"
          aria-label={order_name === null ? name : own.progress(name, order_name)}
        />
      </Progress.Root>
    </li>
  );
}
