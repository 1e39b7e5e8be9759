// Writes the table of docs/reference/settings.md from the settings' declarations: `npm run settings`.
import { readFileSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const PAGE = 'docs/reference/settings.md';

const { outputFiles } = buildSync({
  entryPoints: ['backend/src/config/config.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
});
const code = Buffer.from(outputFiles[0].contents).toString('base64');
const { SETTINGS, shownDefault } = await import(`data:text/javascript;base64,${code}`);
const rows = Object.entries(SETTINGS).map(
  ([name, setting]) => `| \`${name}\` | ${shownDefault(setting)} | ${setting.about} |\n`,
);
const page = readFileSync(PAGE, 'utf8');
writeFileSync(PAGE, page.replace(/(?<=\| Name \| Default \| Meaning \|\n\|---\|---\|---\|\n)(\|.*\n)*/, rows.join('')));
