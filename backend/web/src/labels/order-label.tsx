import { Anchor, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import type { Order } from '../order-data/orders-api';
import { IconDownload, IconPrinter } from '../ui/icons.tsx';
import { downloadPng, downloadSvg } from './download-labels';
import classes from './labels.module.css';
import { MESSAGES } from './messages';
import { PagePicture } from './page-picture';
import { PrintPages } from './print-pages';
import { loadSize, type SizeName, saveSize } from './sizes';
import { useLabelPages } from './use-labels';

/** Preview, print and download of one order's label. */
export function OrderLabel({ order }: { order: Order }) {
  const pageMessages = useMessages(MESSAGES);
  const { messages } = useI18n();
  const [size, setSize] = useState(loadSize);
  const [isPrinting, setPrinting] = useState(false);
  const orders = useMemo(() => [order], [order]);
  const pages = useLabelPages(orders, size);
  // sheets are excluded: a single label would be tiny on the page
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
        {page && <PagePicture page={page} title={pageMessages.of(order.model_name)} />}
      </div>
      {size === 'a4' && (
        <div ref={whole} hidden>
          {pages[0] && <PagePicture page={pages[0]} title="" />}
        </div>
      )}
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label={pageMessages.size}
          value={size}
          onChange={(event) => {
            const name = event.currentTarget.value as SizeName;
            saveSize(name);
            setSize(name);
          }}
          data={Object.entries(pageMessages.sizes).map(([value, label]) => ({ value, label }))}
        />
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => setPrinting(true)}
        >
          {pageMessages.print}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={icon}
          aria-label={pageMessages.png}
          onClick={() =>
            downloadPng(pages, size).catch((error: Error) =>
              notifications.show({ color: 'red', title: messages.error.title, message: error.message }),
            )
          }
        >
          PNG
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={icon}
          aria-label={pageMessages.svg}
          onClick={() =>
            downloadSvg(pages, size, (whole.current ?? picture.current)?.querySelectorAll(':scope > svg') ?? [])
          }
        >
          SVG
        </Button>
      </Group>
      <Text size="xs">
        <Anchor component={Link} href={`/labels?ids=${order.id}`}>
          {pageMessages.more}
        </Anchor>
      </Text>
      {isPrinting && <PrintPages pages={pages} />}
    </Stack>
  );
}
