/** An invalid setting. Ends startup with one line that names it. */
export class SettingError extends Error {
  readonly setting: string;
  constructor(setting: string, detail: string) {
    super(`${setting}: ${detail}`);
    this.name = 'SettingError';
    this.setting = setting;
  }
}

/** A value as an error shows it: not one that may be a URL with a password. */
export const quoteValue = (value: unknown): string =>
  String(value).includes('@') ? 'the value, which has "@" and is not shown,' : JSON.stringify(value);
