// Color checks for icons.

/**
 * The colors of an SVG. Colors not written as #rrggbb are returned unchanged and have no contrast.
 * @param {string} svg
 */
export const paints = (svg) =>
  [...svg.matchAll(/\b(?:fill|stroke|stop-color)\s*[=:]\s*"?\s*([^";\s]+)/g)]
    .map(([, colour = '']) => colour.toLowerCase())
    .filter((colour) => colour !== 'none');

/** @type {(colour: string) => number} */
const luminance = (colour) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/**
 * WCAG contrast ratio, 1 to 21; NaN unless both colors are #rrggbb.
 * @param {string} one
 * @param {string} other
 */
export function contrast(one, other) {
  if (![one, other].every((colour) => /^#[0-9a-f]{6}$/.test(colour))) return Number.NaN;
  const both = [luminance(one), luminance(other)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}
