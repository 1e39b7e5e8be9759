/**
 * Runs in the page: puts each text into every visible text field, as typing does, and lets the page update in between.
 * @param {string[]} texts
 * @returns {Promise<number>} how many fields got each of them
 */
exports.typeAll = async (texts) => {
  const isText = ({ type, readOnly, inputMode }) =>
    !readOnly &&
    !/^(decimal|numeric)$/.test(inputMode) &&
    !/^(checkbox|radio|file|date|datetime-local|number|hidden|submit|button)$/.test(type);
  const isShown = (field) => field.getClientRects().length > 0 && getComputedStyle(field).visibility === 'visible';
  const shown = () => [...document.querySelectorAll('input, textarea')].filter((one) => isText(one) && isShown(one));
  const before = shown().length;
  for (const [index, text] of texts.entries()) {
    const fields = shown();
    if (fields.length < before)
      throw new Error(`${before - fields.length} of ${before} fields are gone before ${text}`);
    for (const field of fields) {
      if (index === 0) field.focus();
      // bypasses React, which keeps its own copy of the value
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, text);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
    // waits for layout and for what it loads or runs, but not for painting, which is slow and changes nothing
    document.body.getBoundingClientRect();
    await scheduler.yield();
  }
  document.activeElement.blur();
  return before;
};
