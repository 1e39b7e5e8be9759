import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useI18n, useMessages } from '../i18n/i18n';
import { IconDownload, IconPrinter } from '../ui/icons.tsx';
import { NumberField } from '../ui/number-field';
import { Empty, Failed, Loading, Page } from '../ui/page';
import { downloadPng, downloadSvg } from './download-labels';
import classes from './labels.module.css';
import { useOrders } from './labels-api';
import { MAX_LABELS } from './limits';
import { MESSAGES } from './messages';
import { PagePicture } from './page-picture';
import { PrintPages } from './print-pages';
import { isSizeName, labelsPerPage, loadSize, SIZES, type SizeName, saveSize } from './sizes';
import { useLabelPages } from './use-labels';

/** `/labels?ids=a,b&size=62x29`: print preview of labels. */
export function LabelsPage() {
  const pageMessages = useMessages(MESSAGES);
  const [params, setParams] = useSearchParams();
  const requestedIds = useMemo(
    () => [...new Set((params.get('ids') ?? '').toLowerCase().split(',').filter(Boolean))],
    [params],
  );
  const ids = useMemo(() => requestedIds.slice(0, MAX_LABELS), [requestedIds]);
  const inAddress = params.get('size');
  const size = isSizeName(inAddress) ? inAddress : loadSize();
  const [first, setFirst] = useState(1);
  const { orders, isLoading, missingIds, error, retry } = useOrders(ids);
  const pages = useLabelPages(orders, size, first - 1);
  const preview = useRef<HTMLDivElement>(null);

  function choose(name: SizeName) {
    saveSize(name);
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        next.set('size', name);
        return next;
      },
      { replace: true },
    );
  }

  if (ids.length === 0) {
    return (
      <Page title={pageMessages.title}>
        <Empty title={pageMessages.empty} lead={pageMessages.emptyLead}>
          <Button component={Link} href="/orders">
            {pageMessages.toOrders}
          </Button>
        </Empty>
      </Page>
    );
  }
  const isSheet = labelsPerPage(SIZES[size]) > 1;
  return (
    <Page
      title={pageMessages.title}
      actions={
        <Save
          pages={pages.length}
          disabled={pages.length === 0 || isLoading}
          svg={() =>
            downloadSvg(pages, size, preview.current?.querySelectorAll<SVGSVGElement>(':scope > div > svg') ?? [])
          }
          png={() => downloadPng(pages, size)}
        />
      }
    >
      <Stack>
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label={pageMessages.size}
            value={size}
            onChange={(name) => choose(name as SizeName)}
            data={Object.entries(pageMessages.sizes).map(([value, label]) => ({ value, label }))}
          />
          {isSheet && (
            <NumberField
              label={pageMessages.first}
              min={1}
              max={labelsPerPage(SIZES[size])}
              decimals={0}
              value={first}
              onChange={(value) =>
                setFirst(Math.min(Math.max(1, Math.floor(Number(value)) || 1), labelsPerPage(SIZES[size])))
              }
            />
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {pageMessages.count(orders.length)}. {isSheet ? pageMessages.hintA4 : pageMessages.hint}
        </Text>
        {requestedIds.length > MAX_LABELS && <Alert color="yellow">{pageMessages.max(MAX_LABELS)}</Alert>}
        {missingIds > 0 && !isLoading && (
          <Alert color="yellow" role="status">
            {pageMessages.missingIds(missingIds)}
          </Alert>
        )}
        {error && <Failed error={error} retry={retry} />}
        {isLoading && orders.length === 0 ? (
          <Loading />
        ) : (
          <div className={classes.preview} ref={preview} data-preview>
            {pages.map((page, index) => (
              <div key={page.labels[0]?.label.id} className={classes.picture}>
                <PagePicture
                  page={page}
                  title={isSheet ? pageMessages.page(index + 1) : pageMessages.of(page.labels[0]?.label.title ?? '')}
                />
              </div>
            ))}
          </div>
        )}
        {/* the browser's own Print command would silently omit labels that are still loading */}
        {!isLoading && <PrintPages pages={pages} />}
      </Stack>
    </Page>
  );
}

function Save({
  pages,
  disabled,
  svg,
  png,
}: {
  pages: number;
  disabled: boolean;
  svg(): Promise<void>;
  png(): Promise<void>;
}) {
  const pageMessages = useMessages(MESSAGES);
  const { messages } = useI18n();
  const [busy, setBusy] = useState<'svg' | 'png'>();
  async function save(kind: 'svg' | 'png') {
    setBusy(kind);
    await { svg, png }
      [kind]()
      .catch((error: Error) =>
        notifications.show({ color: 'red', title: messages.error.title, message: error.message }),
      );
    setBusy(undefined);
  }
  const icon = <IconDownload size={16} aria-hidden />;
  return (
    <>
      {(['svg', 'png'] as const).map((kind) => (
        <Button
          key={kind}
          size="xs"
          variant="default"
          leftSection={icon}
          disabled={disabled || (busy !== undefined && busy !== kind)}
          loading={busy === kind}
          onClick={() => save(kind)}
        >
          {pageMessages[kind]}
          {pageMessages.files(pages)}
        </Button>
      ))}
      <Button
        size="xs"
        leftSection={<IconPrinter size={16} aria-hidden />}
        disabled={disabled}
        onClick={() => window.print()}
      >
        {pageMessages.print}
      </Button>
    </>
  );
}
