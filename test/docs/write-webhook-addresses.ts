// npm run addresses: writes docs/reference/webhook-addresses.md.
import { writeFileSync } from 'node:fs';
import { toPage } from './webhook-addresses-page.ts';

writeFileSync('docs/reference/webhook-addresses.md', toPage());
