// The server's bundle is one script. It is loaded with the code that V8 compiled when it was built, which saves a fifth of the
// time until the service listens. Run with the path of a bundle, this program compiles and stores that code.
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/**
 * Code compiled by another version of Node.js, or with other options of V8, is ignored: then V8 compiles the script.
 * @param {string} file the bundle: a function with the parameters of a CommonJS module
 * @returns {{ script: Script, exports: Record<string, Function> }}
 */
export function loadBundle(file) {
  const compiled = `${file}.compiled`;
  const cachedData = existsSync(compiled) ? readFileSync(compiled) : undefined;
  const script = new Script(readFileSync(file, 'utf8'), { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  return { script, exports: module.exports };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , file] = process.argv;
  const { script, exports } = loadBundle(file);
  await exports.loadCommands();
  writeFileSync(`${file}.compiled`, script.createCachedData());
}
