import { parseApprise } from './apprise.ts';
import { parseOctoPrint } from './octoprint.ts';

const EXTRA = { name: 'a.gcode', path: 'dir/a.gcode', origin: 'local', time: 60.5 };
const IS_FAULT = { isFault: true };

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s ends no print', (name) => {
  expect(parseApprise({ title: name, message: 'a.gcode' })).toMatchObject({ ignored: expect.stringContaining(name) });
  expect(parseOctoPrint({ topic: name })).toMatchObject({ ignored: expect.stringContaining(name) });
});

describe('OctoPrint-Webhooks', () => {
  const done = (extra: unknown, more = {}) => parseOctoPrint({ topic: 'Print Done', extra, ...more });

  test.each([
    ['an object', EXTRA],
    ['JSON', JSON.stringify(EXTRA)],
    ['JSON in a text of JSON', JSON.stringify(JSON.stringify(EXTRA))],
    ['JSON with what only Python writes', `{"owner": NaN, "ok": true, ${JSON.stringify(EXTRA).slice(1)}`],
    [
      'what Python prints',
      `{'name': "a.gcode", 'owner': None, 'tags': ('x', 'it\\'s'), 'path': u'dir/a.gcode', 'origin': 'local', 'time': 60.5}`,
    ],
  ])('reads details sent as %s', (_, extra) => {
    expect(done(extra)).toMatchObject({ filename: 'a.gcode', file: 'local/dir/a.gcode', seconds: 60.5 });
  });

  test('finds the file in the job, and beside the topic', () => {
    const job = { file: { name: 'j.gcode', path: 'dir/j.gcode' } };
    expect(done({}, { job })).toMatchObject({ filename: 'j.gcode', file: '/dir/j.gcode' });
    expect(done('@extra', { job: JSON.stringify(job) })).toMatchObject({ filename: 'j.gcode' });
    expect(done(undefined, { name: 'top.gcode', time: '1:00:00' })).toMatchObject({
      filename: 'top.gcode',
      seconds: 3600,
    });
  });

  test('names the file by its path if only a folder has the label of an order', () => {
    const path = 'ORDER-018f6f2e-0000-7000-8000-00000000000a/part1.gcode';
    expect(done({ name: 'part1.gcode', path })).toMatchObject({ filename: path });
    expect(done({ name: 'part1.gcode', path: 'dir/part1.gcode' })).toMatchObject({ filename: 'part1.gcode' });
  });

  test.each([[undefined], [null], [{}], [''], [{ time: 5 }], [{ name: '', path: null }]])(
    'takes %j for the details of a print whose file is not named',
    (extra) => {
      expect(done(extra)).toMatchObject({ outcome: 'finished', filename: '', file: '' });
    },
  );

  test.each([
    ['@extra'],
    ['None'],
    ['null'],
    ['undefined'],
    ['[object Object]'],
    ['name'],
    ['{extra}'],
    ['{{ extra }}'],
    ['%(extra)s'],
    ['{"name": "a.gcode'],
    ['datetime.datetime(2026, 1, 1)'],
    [['a.gcode']],
    [5],
    [false],
    [{ name: '@extra.name' }],
    [{ name: 'None', path: '%(path)s' }],
  ])('names the setting if the details are %j', (extra) => {
    expect(done(extra)).toEqual({ ignored: expect.stringContaining('"extra": "@extra"'), ...IS_FAULT });
  });

  test.each(['@topic', 'Druck fertig', 'Печать завершена', 'None', ''])(
    'names the setting if the topic is “%s”',
    (topic) => {
      const ignored = expect.stringContaining('"topic": "@topic"');
      expect(parseOctoPrint({ topic, extra: EXTRA })).toEqual({ ignored, ...IS_FAULT });
    },
  );

  test.each(['Print Started', 'Print Paused', 'User Action Needed', 'Print Progress', 'Error'])(
    'ignores %s',
    (topic) => {
      expect(parseOctoPrint({ topic, extra: EXTRA })).toEqual({ ignored: expect.stringContaining(topic) });
    },
  );

  test.each([[{ popup: true }], ['{"popup": true}'], ["{'popup': True}"]])(
    'ignores the test message with %j',
    (extra) => {
      expect(done(extra)).toEqual({ ignored: expect.stringContaining('The connection works') });
    },
  );

  test('keeps the name of a file that looks like a variable', () => {
    expect(done({ name: '@home.gcode' })).toMatchObject({ filename: '@home.gcode' });
  });
});

describe('Apprise', () => {
  const message = 'a.gcode\r\ntime = 1h 20m\nGrams: 45,5 g\nreason={event_args[1].message}';

  test('reads the further lines as people write them', () => {
    expect(parseApprise({ title: 'Print complete', message })).toEqual({
      source: 'apprise',
      printer: undefined,
      filename: 'a.gcode',
      file: 'a.gcode',
      outcome: 'finished',
      mayBeCancelled: false,
      seconds: 4800,
      grams: 45.5,
    });
  });

  test.each(['1,234', 'abc', '{{ grams }}', '0x10', '-5'])('keeps the grams “%s” as text', (grams) => {
    expect(parseApprise({ title: 'complete', message: `a\ngrams=${grams}` })).toMatchObject({ gramsText: grams });
  });

  test.each([
    [{ title: '{event_name}', message: 'a' }, 'title: {event_name}'],
    [{ title: 'fertig', message: 'a' }, 'title: {event_name}'],
    [{ title: '', message: 'a' }, 'title: {event_name}'],
    [{ title: 'complete', message: '{event_args[1].filename}' }, 'body: {event_args[1].filename}'],
    [{ title: 'complete', message: 'Done: {{ event_args[1].filename }}' }, 'body: {event_args[1].filename}'],
    [{ title: 'complete', message: 'None' }, 'body: {event_args[1].filename}'],
  ])('names the setting for %j', (body, setting) => {
    expect(parseApprise(body)).toEqual({ ignored: expect.stringContaining(setting), ...IS_FAULT });
  });

  test.each(['started', 'paused', 'resumed', 'Test'])('ignores %s', (title) => {
    expect(parseApprise({ title, message: 'a' })).toEqual({ ignored: expect.stringContaining(title) });
  });

  test('takes an empty message for a print whose file is not named', () => {
    expect(parseApprise({ title: 'complete', message: '' })).toMatchObject({ filename: '', file: '' });
  });
});
