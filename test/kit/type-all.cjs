/**
 * Runs in the page: puts texts into every visible text field, as typing does, and lets the page update in between.
 * @param {[string[], number]} plan the texts, and in how many rounds. With a round for each text, every field gets every
 * text. With fewer, the texts of a field are spread evenly over the list, and the next field starts one text later.
 * @returns {Promise<number>} how many fields there are
 */
exports.typeAll = async ([texts, rounds]) => {
  const isText = ({ type, readOnly, inputMode }) =>
    !readOnly &&
    !/^(decimal|numeric)$/.test(inputMode) &&
    !/^(checkbox|radio|file|date|datetime-local|number|hidden|submit|button)$/.test(type);
  const isShown = (field) => field.getClientRects().length > 0 && getComputedStyle(field).visibility === 'visible';
  const shown = () => [...document.querySelectorAll('input, textarea')].filter((one) => isText(one) && isShown(one));
  const before = shown().length;
  for (let round = 0; round < rounds; round += 1) {
    const fields = shown();
    const first = Math.floor((round * texts.length) / rounds);
    if (fields.length < before)
      throw new Error(`${before - fields.length} of ${before} fields are gone before ${texts[first]}`);
    for (const [place, field] of fields.entries()) {
      const text = texts[(first + place) % texts.length];
      if (round === 0) field.focus();
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
