import { Button, Group as Row, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useRoute, useSearchParams } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { IconFolderPlus, IconPlus } from '../ui/icons.tsx';
import { Empty, Failed, Loading, Page } from '../ui/page';
import { SearchBox } from '../ui/search-box';
import { GroupAgents } from './agents/group-agents';
import { PrinterPage } from './agents/printer-page';
import { GroupModal, PrinterModal } from './forms';
import { MESSAGES } from './messages';
import type { Printer } from './placements';
import { type Group, printersApi, useAllPrinters, useGroups, usePrinterLoad } from './printers-api';
import { type Removal, RemoveModal } from './remove-dialog';
import { SortablePrinters } from './sortable-printers';

/** From this number on, the page shows a search field. */
const MANY = 10;

/** The record being edited; `undefined` creates one. */
type Edited = { printer: Printer | undefined } | { group: Group | undefined };

const nextSortOrder = (placed: readonly { sort_order: number }[]) =>
  Math.max(0, ...placed.map(({ sort_order }) => sort_order)) + 1;

export function PrintersPage() {
  const [, params] = useRoute('/printers/:id');
  return params ? <PrinterPage key={params.id} id={params.id} /> : <PrinterList />;
}

/** Whether a printer contains all terms of a search. */
const createFilter = (terms: string[]) => (printer: Printer) => {
  const { name, internal_name, model, group_name } = printer;
  const text = [name, internal_name, model, group_name].join('\n').toLowerCase();
  return terms.every((term) => text.includes(term));
};

function PrinterList() {
  const messages = useMessages(MESSAGES);
  const groups = useGroups();
  const all = useAllPrinters(groups.data ?? []);
  const load = usePrinterLoad().data;
  // kept while the dialog's closing animation runs
  const [params, setParams] = useSearchParams();
  // the first steps lead to the form of a new printer
  const isNew = params.has('new');
  const [edited, setEdited] = useState<Edited | undefined>(isNew ? { printer: undefined } : undefined);
  const [isEditing, editing] = useDisclosure(isNew, { onClose: () => isNew && setParams({}, { replace: true }) });
  const [removal, setRemoval] = useState<Removal>();
  const [isRemoving, removing] = useDisclosure(false);
  function edit(what: Edited) {
    setEdited(what);
    editing.open();
  }
  function ask(what: Removal) {
    setRemoval(what);
    removing.open();
  }
  const [agentsOf, setAgentsOf] = useState<Group>();
  const [showsAgents, agents] = useDisclosure(false);
  const [find, setFind] = useState('');
  const { printers } = all;
  const error = all.error ?? groups.error;
  const terms = find.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = createFilter(terms);
  const openOrdersOf = (id: string) => load?.get(id)?.open.reduce((sum, { orders }) => sum + orders, 0) ?? 0;

  const addPrinter = (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => edit({ printer: undefined })}>
      {messages.add}
    </Button>
  );
  const loaded = printers && groups.data && { printers, groups: groups.data };
  const isEmpty = loaded && loaded.printers.length + loaded.groups.length === 0;
  return (
    <Page
      title={messages.title}
      actions={
        loaded &&
        !isEmpty && (
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconFolderPlus size={16} aria-hidden />}
              onClick={() => edit({ group: undefined })}
            >
              {messages.addGroup}
            </Button>
            {addPrinter}
          </>
        )
      }
    >
      {!loaded && error && (
        <Failed
          error={error}
          retry={() => {
            all.refetch();
            groups.refetch();
          }}
        />
      )}
      {!loaded && !error && <Loading />}
      {isEmpty && (
        <Empty title={messages.empty} lead={messages.emptyLead}>
          {addPrinter}
        </Empty>
      )}
      {loaded && !isEmpty && (
        <>
          {loaded.printers.length > MANY && (
            <Row mb="sm">
              <SearchBox label={messages.find} value={find} onChange={setFind} />
            </Row>
          )}
          {terms.length > 0 && !loaded.printers.some(fits) && <Text role="status">{messages.nothingFound}</Text>}
          <SortablePrinters
            {...loaded}
            fits={terms.length > 0 ? fits : null}
            edit={(printer) => edit({ printer })}
            rename={(group) => edit({ group })}
            agents={(group) => {
              setAgentsOf(group);
              agents.open();
            }}
            remove={({ id, name }) =>
              ask({
                name,
                lead: messages.removeLead(messages.openOrders(openOrdersOf(id))),
                remove: () => printersApi.remove(id),
              })
            }
            removeGroup={({ id, name }) =>
              ask({
                name,
                lead: messages.removeGroupLead(
                  messages.printers(loaded.printers.filter(({ group_id }) => group_id === id).length),
                ),
                remove: () => printersApi.removeGroup(id),
              })
            }
          />
        </>
      )}
      <EditModals
        edited={edited}
        opened={isEditing}
        printers={printers ?? []}
        groups={groups.data ?? []}
        close={editing.close}
      />
      <GroupAgents opened={showsAgents} group={agentsOf} close={agents.close} />
      <RemoveModal opened={isRemoving} removal={removal} close={removing.close} />
    </Page>
  );
}

interface EditModalsProps {
  edited: Edited | undefined;
  opened: boolean;
  printers: Printer[];
  groups: Group[];
  close(): void;
}

/** The form for a printer and the one for a group; the edited record says which of them is open. */
function EditModals({ edited, opened, printers, groups, close }: EditModalsProps) {
  const isPrinter = edited !== undefined && 'printer' in edited;
  const isGroup = edited !== undefined && 'group' in edited;
  // as it is now, because the form merges what others change
  const printer = isPrinter ? edited.printer : undefined;
  const group = isGroup ? edited.group : undefined;
  return (
    <>
      <PrinterModal
        opened={opened && isPrinter}
        printer={printers.find(({ id }) => id === printer?.id) ?? printer}
        groups={groups}
        nextSortOrder={nextSortOrder(printers)}
        close={close}
      />
      <GroupModal
        opened={opened && isGroup}
        group={groups.find(({ id }) => id === group?.id) ?? group}
        nextSortOrder={nextSortOrder(groups)}
        close={close}
      />
    </>
  );
}
