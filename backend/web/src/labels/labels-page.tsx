import { Alert, Button, Group, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useSpeech, useWordsOf } from '../i18n/i18n';
import { Empty, Failed, Loading, Page } from '../ui/page';
import { downloadPng, downloadSvg } from './download-labels';
import classes from './labels.module.css';
import { useOrders } from './labels-api';
import { MAX_LABELS } from './limits';
import { Paper } from './print-pages';
import { PagePicture } from './page-picture';
import { isSizeName, labelsPerPage, rememberedSize, rememberSize, SIZES, type SizeName } from './sizes';
import { useLabelPages } from './use-labels';
import { WORDS } from './messages';

/** `/labels?ids=a,b&size=62x29`: labels as they will be printed. */
export function LabelsPage() {
  const said = useWordsOf(WORDS);
  const [params, setParams] = useSearchParams();
  const asked = useMemo(
    () => [...new Set((params.get('ids') ?? '').toLowerCase().split(',').filter(Boolean))],
    [params],
  );
  const ids = useMemo(() => asked.slice(0, MAX_LABELS), [asked]);
  const inAddress = params.get('size');
  const size = isSizeName(inAddress) ? inAddress : rememberedSize();
  const [first, setFirst] = useState(1);
  const { orders, isLoading, gone, error, retry } = useOrders(ids);
  const pages = useLabelPages(orders, size, first - 1);
  const preview = useRef<HTMLDivElement>(null);

  function choose(name: SizeName) {
    rememberSize(name);
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
      <Page title={said.title}>
        <Empty title={said.empty} lead={said.emptyLead}>
          <Button component={Link} href="/orders">
            {said.toOrders}
          </Button>
        </Empty>
      </Page>
    );
  }
  const isSheet = labelsPerPage(SIZES[size]) > 1;
  return (
    <Page
      title={said.title}
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
            aria-label={said.size}
            value={size}
            onChange={(name) => choose(name as SizeName)}
            data={Object.entries(said.sizes).map(([value, label]) => ({ value, label }))}
          />
          {isSheet && (
            <NumberInput
              label={said.first}
              min={1}
              max={labelsPerPage(SIZES[size])}
              clampBehavior="strict"
              allowDecimal={false}
              value={first}
              onChange={(value) => setFirst(Math.max(1, Number(value)))}
            />
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {said.count(orders.length)}. {isSheet ? said.hintA4 : said.hint}
        </Text>
        {asked.length > MAX_LABELS && <Alert color="yellow">{said.most(MAX_LABELS)}</Alert>}
        {gone > 0 && !isLoading && (
          <Alert color="yellow" role="status">
            {said.gone(gone)}
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
                  title={isSheet ? said.page(index + 1) : said.of(page.labels[0]?.label.title ?? '')}
                />
              </div>
            ))}
          </div>
        )}
        {/* a browser's own Print would leave out silently what is still on its way */}
        {!isLoading && <Paper pages={pages} />}
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
  const said = useWordsOf(WORDS);
  const { words } = useSpeech();
  const [busy, setBusy] = useState<'svg' | 'png'>();
  async function save(kind: 'svg' | 'png') {
    setBusy(kind);
    await { svg, png }
      [kind]()
      .catch((error: Error) => notifications.show({ color: 'red', title: words.error.title, message: error.message }));
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
          {said[kind]}
          {said.files(pages)}
        </Button>
      ))}
      <Button
        size="xs"
        leftSection={<IconPrinter size={16} aria-hidden />}
        disabled={disabled}
        onClick={() => window.print()}
      >
        {said.print}
      </Button>
    </>
  );
}
