import { Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Order } from '../api/api';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { downloadPng, downloadSvg } from './download-labels';
import classes from './labels.module.css';
import { Paper } from './print-pages';
import { PagePicture } from './page-picture';
import { rememberedSize, rememberSize, type SizeName } from './sizes';
import { useLabelPages } from './use-labels';
import { WORDS } from './messages';

/** The label of one order: seen, printed and kept from the order itself. */
export function OrderLabel({ order }: { order: Order }) {
  const said = useWordsOf(WORDS);
  const { words } = useSpeech();
  const [size, setSize] = useState(rememberedSize);
  const [isPrinting, setPrinting] = useState(false);
  const orders = useMemo(() => [order], [order]);
  const pages = useLabelPages(orders, size);
  // a whole sheet would be a dot of code on much white
  const shown = useLabelPages(orders, size === 'a4' ? '62x29' : size);
  const picture = useRef<HTMLDivElement>(null);
  const whole = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!isPrinting) return;
    const done = () => setPrinting(false);
    window.addEventListener('afterprint', done);
    window.print();
    return () => window.removeEventListener('afterprint', done);
  }, [isPrinting]);

  const icon = <IconDownload size={16} aria-hidden />;
  const [page] = shown;
  return (
    <Stack gap="xs" align="flex-start">
      <div className={`${classes.one} ${classes.picture}`} ref={picture}>
        {page && <PagePicture page={page} title={said.of(order.model_name)} />}
      </div>
      {size === 'a4' && (
        <div ref={whole} hidden>
          {pages[0] && <PagePicture page={pages[0]} title="" />}
        </div>
      )}
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label={said.size}
          value={size}
          onChange={(event) => {
            const name = event.currentTarget.value as SizeName;
            rememberSize(name);
            setSize(name);
          }}
          data={Object.entries(said.sizes).map(([value, label]) => ({ value, label }))}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => setPrinting(true)}
        >
          {said.print}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={icon}
          aria-label={said.png}
          onClick={() =>
            downloadPng(pages, size).catch((error: Error) =>
              notifications.show({ color: 'red', title: words.error.title, message: error.message }),
            )
          }
        >
          PNG
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={icon}
          aria-label={said.svg}
          onClick={() =>
            downloadSvg(pages, size, (whole.current ?? picture.current)?.querySelectorAll(':scope > svg') ?? [])
          }
        >
          SVG
        </Button>
      </Group>
      <Text size="xs">
        <Anchor component={Link} href={`/labels?ids=${order.id}`}>
          {said.more}
        </Anchor>
      </Text>
      {isPrinting && <Paper pages={pages} />}
    </Stack>
  );
}
