/** The languages that people read here. Code, docs and errors of the interface are English. */
export const LANGUAGES = ['en', 'ru'] as const;
export type Language = (typeof LANGUAGES)[number];
