// The Chromium of this machine, which the browser tests use. None is downloaded.
const { accessSync, constants } = require('node:fs');

const PLACES = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** @returns {string | undefined} the program; undefined if there is none */
exports.findChromium = () =>
  PLACES.find((path) => {
    if (path === undefined) return false;
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
