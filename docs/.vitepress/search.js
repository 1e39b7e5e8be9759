// How the search box reads a question. Used by the site (theme/index.js) and by the test of its answers.

/** Words of a question that say nothing about its subject. */
const FILLERS = new Set(
  'a am an and are be by can did do does for from get gets has have how i in into is it its me my of on or our so that the then there this to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** Endings that the words of pages have and questions may not, longest first. */
const ENDINGS = ['ing', 'ed', 'es', 's'];

/**
 * Drops fillers and endings; the index has the words as written, and they are found by their beginning.
 * @param {string} term
 * @returns {string | null} null: the word isn't searched for
 */
function readTerm(term) {
  const word = term.toLowerCase();
  if (FILLERS.has(word)) return null;
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= 4);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

/** Options of MiniSearch for a search. */
export const searchOptions = {
  boost: { title: 4, titles: 2, text: 1 },
  prefix: true,
  /** Short words and numbers have too many neighbors. @param {string} term */
  fuzzy: (term) => (term.length > 5 && !/\d/.test(term) ? 0.2 : false),
  processTerm: readTerm,
  /** Pages for contributors answer few questions of users. @param {string} id */
  boostDocument: (id) => (/\/(decisions|contributing)\//.test(id) ? 0.5 : 1),
};
