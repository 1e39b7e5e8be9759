/** An invalid setting. Ends startup with one line that names it. */
export class SettingError extends Error {
  readonly setting: string;
  constructor(setting: string, detail: string) {
    super(`${setting}: ${detail}`);
    this.name = 'SettingError';
    this.setting = setting;
  }
}
