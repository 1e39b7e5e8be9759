import { Alert, Anchor, Button, FileButton, Group, Loader, Modal, Progress, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import type { ItemResult } from '../../api/map-concurrent';
import { formatError } from '../../i18n/format-error';
import { useI18n, useMessages } from '../../i18n/i18n';
import type { Order } from '../../order-data/orders-api';
import { IconUpload } from '../../ui/icons.tsx';
import classes from '../list/orders.module.css';
import type { Mapping } from './fields';
import { guessMapping } from './headings';
import type { Known } from './import-plan';
import { ResultSummary } from './import-result';
import { recallMapping, rememberMapping } from './mapping-store';
import { MESSAGES } from './messages';
import { Preview } from './preview';
import { decode, isTooLarge, OTHER_ENCODINGS, type OtherEncoding, parse } from './read';
import { loadKnown, type Write, write } from './run-import';
import type { Answers } from './step';
import type { FileFault, Table } from './table';
import { downloadTemplate } from './write';

type Stage =
  | { at: 'choose'; fault?: FileFault; error?: Error }
  | { at: 'compare' }
  | { at: 'preview'; table: Table; mapping: Mapping; answers: Answers; known: Known }
  | { at: 'run'; done: number; total: number }
  | { at: 'done'; table: Table; outcomes: ItemResult<Write, Order>[] };

/** CSV import with a preview before anything is written. */
export function ImportDialog({ close }: { close(): void }) {
  const { messages, language } = useI18n();
  const pageMessages = useMessages(MESSAGES);
  const client = useQueryClient();
  const isPhone = useMediaQuery('(max-width: 640px)') ?? false;
  const [stage, setStage] = useState<Stage>({ at: 'choose' });
  // kept so that it can be decoded with another encoding
  const [bytes, setBytes] = useState<Uint8Array>();

  async function read(content: Uint8Array, encoding?: OtherEncoding) {
    setBytes(content);
    const text = decode(content, encoding);
    const table = text.ok ? parse(text.value) : text;
    if (!table.ok) {
      setStage({ at: 'choose', fault: table.fault });
      return;
    }
    await compare(table.value, recallMapping(table.value.headings) ?? guessMapping(table.value), {});
  }

  async function compare(table: Table, mapping: Mapping, answers: Answers) {
    setStage({ at: 'compare' });
    try {
      setStage({ at: 'preview', table, mapping, answers, known: await loadKnown(client, table, mapping) });
    } catch (error) {
      setStage({ at: 'choose', error: error as Error });
    }
  }

  function changeMapping(before: Stage & { at: 'preview' }, mapping: Mapping) {
    const { table, answers } = before;
    rememberMapping(table.headings, mapping);
    // other orders may be named by ID
    if (mapping.indexOf('id') === before.mapping.indexOf('id')) setStage({ ...before, mapping });
    else compare(table, mapping, answers);
  }

  async function take(file: File | null | undefined) {
    if (!file) return;
    if (isTooLarge(file)) return setStage({ at: 'choose', fault: 'tooLarge' });
    const content = await file.arrayBuffer().catch(() => undefined);
    if (content) await read(new Uint8Array(content));
    else setStage({ at: 'choose', fault: 'unreadable' });
  }

  async function run(table: Table, steps: Write[], before: ItemResult<Write, Order>[] = []) {
    setStage({ at: 'run', done: 0, total: steps.length });
    const outcomes = await write(client, steps, (done) => setStage({ at: 'run', done, total: steps.length }));
    setStage({ at: 'done', table, outcomes: [...before, ...outcomes] });
  }

  return (
    <Modal
      opened
      onClose={close}
      title={pageMessages.title}
      size="70rem"
      fullScreen={isPhone}
      closeButtonProps={{ 'aria-label': pageMessages.close }}
      // a running import can't be closed by accident
      closeOnEscape={stage.at !== 'run'}
      closeOnClickOutside={stage.at === 'choose'}
      withCloseButton={stage.at !== 'run'}
    >
      {stage.at === 'choose' && (
        <Stack>
          {stage.fault && (
            <Alert color="red" role="alert">
              <Stack gap="xs" align="flex-start">
                {pageMessages.files[stage.fault]}
                {stage.fault === 'notUtf8' && bytes && (
                  <Group gap="xs">
                    {OTHER_ENCODINGS.map((encoding) => (
                      <Button key={encoding} size="xs" variant="default" onClick={() => read(bytes, encoding)}>
                        {pageMessages.readAs[encoding]}
                      </Button>
                    ))}
                  </Group>
                )}
              </Stack>
            </Alert>
          )}
          {stage.error && (
            <Alert color="red" role="alert">
              {formatError(stage.error, messages)}
            </Alert>
          )}
          <DropZone take={take} />
          <Text size="sm">{pageMessages.rules}</Text>
          <Anchor component="button" type="button" size="sm" w="fit-content" onClick={() => downloadTemplate(language)}>
            {pageMessages.template}
          </Anchor>
        </Stack>
      )}
      {stage.at === 'compare' && (
        <Group role="status">
          <Loader size="sm" />
          <Text size="sm">{pageMessages.reading}</Text>
        </Group>
      )}
      {stage.at === 'preview' && (
        <Preview
          table={stage.table}
          mapping={stage.mapping}
          setMapping={(mapping) => changeMapping(stage, mapping)}
          answers={stage.answers}
          setAnswers={(answers) => setStage({ ...stage, answers })}
          known={stage.known}
          another={() => setStage({ at: 'choose' })}
          run={(steps) => run(stage.table, steps)}
        />
      )}
      {stage.at === 'run' && (
        <Stack gap="xs" role="status">
          <Text size="sm">{pageMessages.running}</Text>
          <Progress value={(100 * stage.done) / stage.total} aria-label={pageMessages.title} />
          <Text size="sm">{pageMessages.progress(stage.done, stage.total)}</Text>
        </Stack>
      )}
      {stage.at === 'done' && (
        <ResultSummary
          table={stage.table}
          outcomes={stage.outcomes}
          again={(failed, rest) => run(stage.table, failed, rest)}
          close={close}
        />
      )}
    </Modal>
  );
}

function DropZone({ take }: { take(file: File | null | undefined): void }) {
  const pageMessages = useMessages(MESSAGES);
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
    >
      <Stack align="center" gap="xs">
        <Text>{pageMessages.drop}</Text>
        <FileButton accept=".csv,.txt,.tsv,text/csv" onChange={take}>
          {(props) => (
            <Button {...props} leftSection={<IconUpload size={16} aria-hidden />}>
              {pageMessages.choose}
            </Button>
          )}
        </FileButton>
      </Stack>
    </div>
  );
}
