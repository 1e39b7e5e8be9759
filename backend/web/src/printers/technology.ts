/** A printer's `technology` may be any text; these are common values. They are stored in lower case, as in the API. */
export const TECHNOLOGIES = ['FDM', 'SLA', 'SLS', 'MJF'];

export const showTechnology = (stored: string): string =>
  TECHNOLOGIES.find((name) => name.toLowerCase() === stored) ?? stored;

export const storeTechnology = (shown: string): string =>
  TECHNOLOGIES.find((name) => name === shown.trim().toUpperCase())?.toLowerCase() ?? shown;
