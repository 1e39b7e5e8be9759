// Prints the folder that the makers of clients are installed in; installs them first where they are missing.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTools } from '../kit/tools.mjs';

process.stdout.write(installTools('client-tools', dirname(fileURLToPath(import.meta.url))));
