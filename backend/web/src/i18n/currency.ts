/** Decimals of a currency: 2 for most, 0 for JPY. Unknown codes count as 2. */
export function decimalsOf(currency: string | null): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency ?? '' });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Converts to major units: 4990 EUR cents are 49.9. */
export const toMajor = (minor: number, currency: string | null) => minor / 10 ** decimalsOf(currency);
export const toMinor = (major: number | string, currency: string | null) =>
  Math.round(Number(major) * 10 ** decimalsOf(currency));

/** The narrow symbol of a currency: `€`, `₽`, `kr`. */
export function symbolOf(currency: string, language: string): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}

const REGIONS: Record<string, string> = {
  EUR: 'AD AT AX BE BL CY DE EE ES FI FR GF GP GR HR IE IT LT LU LV MC ME MF MQ MT NL PM PT RE SI SK SM TF VA XK YT',
  USD: 'US AS BQ EC FM GU IO MH MP PR PW SV TC TL UM VG VI',
  GBP: 'GB GG IM JE',
  CHF: 'CH LI',
  AUD: 'AU KI NR TV',
  NZD: 'NZ CK NU TK',
  DKK: 'DK FO GL',
  NOK: 'NO SJ',
  RUB: 'RU',
  UAH: 'UA',
  BYN: 'BY',
  KZT: 'KZ',
  GEL: 'GE',
  AMD: 'AM',
  AZN: 'AZ',
  KGS: 'KG',
  UZS: 'UZ',
  MDL: 'MD',
  PLN: 'PL',
  CZK: 'CZ',
  HUF: 'HU',
  RON: 'RO',
  BGN: 'BG',
  RSD: 'RS',
  SEK: 'SE',
  ISK: 'IS',
  TRY: 'TR',
  BAM: 'BA',
  CAD: 'CA',
  MXN: 'MX',
  BRL: 'BR',
  ARS: 'AR',
  CLP: 'CL',
  COP: 'CO',
  PEN: 'PE',
  UYU: 'UY',
  ALL: 'AL',
  MKD: 'MK',
  JPY: 'JP',
  CNY: 'CN',
  KRW: 'KR',
  TWD: 'TW',
  HKD: 'HK',
  SGD: 'SG',
  THB: 'TH',
  VND: 'VN',
  IDR: 'ID',
  MYR: 'MY',
  PHP: 'PH',
  INR: 'IN',
  PKR: 'PK',
  BDT: 'BD',
  LKR: 'LK',
  ILS: 'IL PS',
  AED: 'AE',
  SAR: 'SA',
  QAR: 'QA',
  KWD: 'KW',
  EGP: 'EG',
  MAD: 'MA EH',
  TND: 'TN',
  DZD: 'DZ',
  NGN: 'NG',
  KES: 'KE',
  GHS: 'GH',
  ZAR: 'ZA',
  MNT: 'MN',
  NPR: 'NP',
};

/** The currency of the browser's country, as a default. */
export function currencyOfLocale(tags: readonly string[] = navigator.languages): string {
  for (const tag of tags) {
    const region = new Intl.Locale(tag).maximize().region ?? '';
    const found = Object.entries(REGIONS).find(([, regions]) => regions.split(' ').includes(region));
    if (found) return found[0];
  }
  return 'EUR';
}
