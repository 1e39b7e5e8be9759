import { parseApprise } from './apprise.ts';
import { parseOctoPrint } from './octoprint.ts';

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('%s ends no print', (name) => {
  expect(parseApprise({ title: name, message: 'a.gcode' })).toMatchObject({ ignored: expect.stringContaining(name) });
  expect(parseOctoPrint({ topic: name })).toMatchObject({ ignored: expect.stringContaining(name) });
});
