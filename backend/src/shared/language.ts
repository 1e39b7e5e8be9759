/** The languages of the UI. Code, docs and API errors are English. */
export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];
