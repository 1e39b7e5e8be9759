const Sequencer = require('@jest/test-sequencer').default;

const isBrowser = ({ path }) => path.includes('/test/browser/');

/** If one of these started last, it would run alone while the other workers are idle. */
const FIRST = [
  'nodes/actions',
  'nodes/triggers',
  'crash/kill',
  'delivery/isolation',
  'browser/hostile',
  'browser/every-page',
  'agent/generated.sqlite',
  'printers/generated',
  'service/command-line',
  'service/simulation',
  'operations/scheduled-backup',
];
const rank = ({ path }) => (FIRST.some((name) => path.endsWith(`/${name}.test.ts`)) ? 0 : 1);

/** How many others start for each browser suite. */
const OTHERS = 2;

/**
 * The browser suites run beside the others, not beside each other: they compute and take the most memory, while many of
 * the others wait for what they have started. The longest come first, so the workers finish together.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests).sort((a, b) => rank(a) - rank(b));
    const [browser, others] = [sorted.filter(isBrowser), sorted.filter((test) => !isBrowser(test))];
    const mixed = browser.flatMap((suite, i) => [...others.slice(i * OTHERS, (i + 1) * OTHERS), suite]);
    return [...mixed, ...others.slice(browser.length * OTHERS)];
  }
};
