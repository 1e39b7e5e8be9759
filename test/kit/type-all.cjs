/**
 * Runs in the page: puts each text into a field, one after the other, as typing does it, and lets the page draw in between.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string[]} texts
 */
exports.typeAll = async (field, texts) => {
  // past React, which keeps its own idea of the value
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
  for (const text of texts) {
    set.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
};
