import { Button, Group, Select, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { IconPlus } from '../ui/icons.tsx';
import { Empty, NotLoaded, Page } from '../ui/page';
import { SearchBox } from '../ui/search-box';
import { NewFilament } from './new-filament';
import { Marks, Remaining } from './remaining';
import classes from './stock.module.css';
import { type Filament, filamentSearchQuery, filamentsQuery } from './stock-api';
import { SORTS, type Sort, useStockUrl } from './stock-url';
import { Swatch } from './swatch';
import { UsageSection } from './usage';
import { useStockFormats } from './use-stock-formats';
import { arrange } from './view';

/** `/stock`: all filaments with their remaining stock. */
export function StockList() {
  const { messages } = useStockFormats();
  const url = useStockUrl();
  const { data, error, refetch } = useQuery(filamentsQuery);
  const [isNewOpen, newFilament] = useDisclosure(url.isNew, { onClose: () => url.isNew && url.set('new', null) });
  const add = (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={newFilament.open}>
      {messages.add}
    </Button>
  );
  return (
    <Page title={messages.title} actions={data && data.length > 0 && add}>
      {data ? (
        data.length === 0 ? (
          <Empty title={messages.empty} lead={messages.emptyLead}>
            {add}
          </Empty>
        ) : (
          <>
            <Toolbar url={url} />
            <Found all={data} url={url} />
            <UsageSection />
          </>
        )
      ) : (
        <NotLoaded error={error} retry={refetch} />
      )}
      <NewFilament opened={isNewOpen} close={newFilament.close} />
    </Page>
  );
}

type StockUrl = ReturnType<typeof useStockUrl>;

function Toolbar({ url: { q, showsLow, sort, set } }: { url: StockUrl }) {
  const { messages } = useStockFormats();
  return (
    <div className={classes.toolbar}>
      <SearchBox
        className={classes.search}
        label={messages.search}
        placeholder={messages.searchHint}
        clear={messages.clear}
        value={q}
        onChange={(text) => set('q', text || null)}
      />
      <Select
        size="xs"
        aria-label={messages.sort}
        allowDeselect={false}
        data={SORTS.map((value) => ({ value, label: messages.sorts[value] }))}
        value={sort}
        onChange={(value) => set('sort', value === 'name' ? null : (value as Sort))}
      />
      <Switch
        size="xs"
        label={messages.lowOnly}
        checked={showsLow}
        onChange={(event) => set('low', event.currentTarget.checked ? '1' : null)}
      />
    </div>
  );
}

function Found({ all, url }: { all: Filament[]; url: StockUrl }) {
  const q = url.q.trim();
  const search = useQuery(filamentSearchQuery(q));
  const found = q === '' ? all : search.data;
  if (found) return <Rows filaments={arrange(found, url)} url={url} />;
  return <NotLoaded error={search.error} retry={search.refetch} />;
}

function Rows({ filaments, url: { q, showsLow, set } }: { filaments: Filament[]; url: StockUrl }) {
  const { messages } = useStockFormats();
  if (filaments.length === 0) {
    return (
      <Group justify="center" py="lg" gap="xs" role="status">
        <Text size="sm">{showsLow && q === '' ? messages.noneLow : messages.nothingFound}</Text>
        {q !== '' && (
          <Button size="compact-sm" variant="subtle" onClick={() => set('q', null)}>
            {messages.clear}
          </Button>
        )}
      </Group>
    );
  }
  return (
    <>
      <Text size="xs" c="dimmed" mb={4} role="status">
        {messages.found(filaments.length)}
      </Text>
      <ul className={classes.list} aria-label={messages.list}>
        {filaments.map((filament) => (
          <li key={filament.id} data-filament={filament.id}>
            <Row filament={filament} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ filament }: { filament: Filament }) {
  const { brand, type_name, colors, is_gradient } = filament;
  return (
    <Link href={`/stock/${filament.id}`} className={classes.row}>
      <Swatch colors={colors} isGradient={is_gradient} />
      <div>
        <Group gap={6}>
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {filament.name}
          </Text>
          <Marks filament={filament} />
        </Group>
        <Text size="xs" c="dimmed" truncate>
          {[brand, type_name].filter(Boolean).join(' · ')}
        </Text>
      </div>
      <Remaining filament={filament} />
    </Link>
  );
}
