// What assistive technology and the keyboard need, and the default theme lacks.

/** @param {string} selector @param {Record<string, string>} attributes */
function setAttributes(selector, attributes) {
  for (const element of document.querySelectorAll(selector)) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  }
}

/** The keyboard has to reach what scrolls: tables, code and diagrams that are wider than the page. */
function makeScrollable() {
  for (const part of document.querySelectorAll('.vp-doc :is(table, pre, .diagram)')) {
    if (part.scrollWidth > part.clientWidth) part.setAttribute('tabindex', '0');
    else part.removeAttribute('tabindex');
  }
}

/** @param {string} selector @param {string[]} names */
function removeAttributes(selector, names) {
  for (const element of document.querySelectorAll(selector)) for (const name of names) element.removeAttribute(name);
}

/** The search box is a dialog with a list of links, and says to be a button with options. */
function correctSearchBox() {
  setAttributes('.VPLocalSearchBox[role="button"]', { role: 'dialog', 'aria-modal': 'true' });
  removeAttributes('.VPLocalSearchBox', ['aria-expanded', 'aria-haspopup', 'aria-owns']);
  setAttributes('.VPLocalSearchBox [role="listbox"]', { role: 'list' });
  setAttributes('.VPLocalSearchBox [role="option"]', { role: 'listitem' });
  removeAttributes('.VPLocalSearchBox [aria-selected]', ['aria-selected']);
  removeAttributes('.VPLocalSearchBox a[aria-label]', ['aria-label']);
  removeAttributes('.VPLocalSearchBox [aria-autocomplete]', ['aria-autocomplete', 'aria-activedescendant']);
  setAttributes('.VPLocalSearchBox kbd[aria-label]:not([role])', { role: 'img' });
}

export function correctPage() {
  setAttributes('.VPHome', { role: 'main' });
  // the button is named by its text, without the keys that are drawn beside it
  removeAttributes('.DocSearch-Button', ['aria-label']);
  setAttributes('.DocSearch-Button-Keys', { 'aria-hidden': 'true' });
  makeScrollable();
}

export function watchPage() {
  addEventListener('load', correctPage);
  addEventListener('resize', makeScrollable);
  const inside = new MutationObserver(correctSearchBox);
  const whatChanges = {
    childList: true,
    subtree: true,
    attributeFilter: ['role', 'aria-selected', 'aria-activedescendant'],
  };
  // the box is a child of the body while it is open
  new MutationObserver(() => {
    const box = document.querySelector('.VPLocalSearchBox');
    if (box === null) return inside.disconnect();
    correctSearchBox();
    inside.observe(box, whatChanges);
  }).observe(document.body, { childList: true });
}
