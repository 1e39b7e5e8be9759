/**
 * What the keys of a label give in other keyboard layouts: a scanner presses the keys of a US keyboard, and the layout
 * of the computer decides which characters arrive. Each row has the layout's language and name, the characters of
 * KEYS, and those of LETTERS with Shift where they aren't their capitals. From the layouts of X.Org (xkeyboard-config),
 * compared with those of Windows; layouts that change only the key `-` aren't needed, because any character separates
 * the parts of an ID.
 */
const KEYS = '1234567890-abcdefor';
const LETTERS = 'abcdefor';
/** for a key that gives nothing */
const NONE = '·';

type Row = [name: string, plain: string, shifted?: string];

// biome-ignore format: one row for each layout
const ROWS: Row[] = [
  ['fr AZERTY', '&é"\'(-è_çà)qbcdefor'],
  ['fr-BE AZERTY', '&é"\'(§è!çà)qbcdefor'],
  ['fr AFNOR', 'àéèê()‘’«»\'qbcdefor'],
  ['fr BÉPO', '"«»()@+-/*=akxipelo'],
  ['cs', '+ěščřžýáíé=abcdefor'],
  ['sk', '+ľščťžýáíé=abcdefor'],
  ['hu', '123456789öüabcdefor'],
  ['tr F', '1234567890/uçveğahı'],
  ['lt', 'ąčęėįšųū„“-abcdefor'],
  ['lt', '!-/;:,.=()?abcdešor'],
  ['lv', '1234567890-špīsjiēr'],
  ['vi', 'ăâêộ̀̉̃́đ-abcdefor'],
  ['tk', '1234567890-abçdefor'],
  ['- Dvorak', '1234567890[axje.urp', 'AXJE>URP'],
  ['- Programmer Dvorak', '&[{}(=*)+]!axje.urp', 'AXJE>URP'],
  ['- Colemak', '1234567890-abcsftyp'],
  ['- Colemak-DH', '1234567890-azdsftyp'],
  ['- Workman', '1234567890-avmhrtpw'],
  ['- Norman', '1234567890-abcedtlf'],
  ['de Neo', '1234567890-uzäalefc'],
  ['el', '1234567890-αβψδεφορ'],
  ['ru', '1234567890-фисвуащк'],
  ['ru', '№-/":,._?%!фисвуащк'],
  ['be', '1234567890-фісвуаўк'],
  ['bg', '1234567890-ьфъаеоди', 'ѝФЪАЕОДИ'],
  ['bg', '1234567890-абцдефор'],
  ['kk', '"әіңғ,.үұқөфисвуащк'],
  ['mn', '1234567890еймёбуөүж'],
  ['tg', '1234567890ғфисвуаҳк'],
  ['ka', '1234567890-აბცდეფორ', 'ABჩDEFOღ'],
  ['hy', '։ձյ՛,-.«»օռաբքդէֆոր'],
  ['hy', 'էթփձջւևրչճ֊աբցդեֆօռ'],
  ['he', '1234567890-שנבגקכםר', 'ABCDEFOR'],
  ['ar', '1234567890-شﻻؤيثبخق', 'ِﻵ}]ُ[×ٌ'],
  ['ar AZERTY', '&é"\'(-è_çà)شﻻؤيثبخق', 'ِﻵ}]ُ[×ٌ'],
  ['fa', '۱۲۳۴۵۶۷۸۹۰-شذزیثبخق', 'ؤ\u200cژيٍإ]ً'],
  ['ps', '۱۲۳۴۵۶۷۸۹۰-شذزیثبخق', 'ښ\u200cژيٍپځً'],
  ['ckb', '١٢٣٤٥٦٧٨٩٠-ابجدەفۆر', 'آىچذهإؤڕ'],
  ['ug', '1234567890-ھبغدېاور', '···ژ·ف··'],
  ['ur', '1234567890-مشےرھنجد', 'ژؤۓڑذںچڈ'],
  ['ur', '1234567890-ابچدعفہر', 'آ.ثڈّٰۃڑ'],
  ['hi', '१२३४५६७८९०-ोवम्ािदी', 'ओऴणअआइधई'],
  ['ne', '१२३४५६७८९०-ाबचदेउोर', 'आभछधैऊओृ'],
  ['bn', '১২৩৪৫৬৭৮৯০-োবম্ািদী', 'ওবণঅআইধঈ'],
  ['bn', '১২৩৪৫৬৭৮৯০-াবচডীতওর', 'অভছঢঈথঔড়'],
  ['gu', '૧૨૩૪૫૬૭૮૯૦-ોવમ્ાિદી', 'ઓવણઅઆઇધઈ'],
  ['pa', '੧੨੩੪੫੬੭੮੯੦ਃੋਵਮ੍ਾਿਦੀ', 'ਓਵਣਅਆਇਧਈ'],
  ['kn', '೧೨೩೪೫೬೭೮೯೦ಃೋವಮ್ಾಿದೀ', 'ಓ\u0cb4ಣಅಆಇಧಈ'],
  ['ml', '൧൨൩൪൫൬൭൮൯൦-ോവമ്ാിദീ', 'ഓഴണഅആഇധഈ'],
  ['or', '୧୨୩୪୫୬୭୮୯୦ଃୋଵମ୍ାିଦୀ', 'ଓ·ଣଅଆଇଧଈ'],
  ['te', '౧౨౩౪౫౬౭౮౯౦ఃోవమ్ాిదీ', 'ఓ·ణఅఆఇధఈ'],
  ['si', '1234567890-අබචදඑෆඔර', 'ආභඡධඒFඕ්'],
  ['th', 'ๅ/-ภถุึคตจขฟิแกำดนพ', 'ฤฺฉฏฎโฯฑ'],
  ['lo', 'ຢຟໂຖຸູຄຕຈຂຊັຶແກຳດນພ', '··ຯ.·,·_'],
  ['km', '១២៣៤៥៦៧៨៩០ឥាបចដេថោរ', '\u17ffពជឌែធៅឬ'],
  ['my', '၁၂၃၄၅၆၇၈၉၀-ေဘခိန်သမ', 'ဗယဃီဣ္ဿ၎'],
  ['ja', 'ヌフアウエオヤユヨワホチコソシイハラス', '····ィ···'],
  ['ko', '1234567890-\u1106\u1172\u110e\u110b\u1103\u1105\u1162\u1100', '\u1106\u1172\u110e\u110b\u1104\u1105\u1164\u1101'],
  // Caps Lock is Shift
  ['de', '!"§$%&/()=?abcdefor'],
];

export interface Layout {
  /** the language of the layout, if it has one, and its name, if it isn't the usual one of that language */
  language: string | undefined;
  name: string | undefined;
  /** the character of a label whose key gives this character */
  keys: ReadonlyMap<string, string>;
}

function toLayout([title, plain, shifted = '']: Row): Layout {
  const [language, ...name] = title.split(' ');
  const keys = new Map<string, string>();
  // without Shift first: digits and `-` are typed without it
  const add = (characters: string, typed: string) =>
    Array.from(characters).forEach((character, index) => {
      if (character !== NONE && !keys.has(character)) keys.set(character, typed[index] ?? '');
    });
  add(plain, KEYS);
  add(shifted, LETTERS);
  for (const [character, typed] of [...keys]) add(character.toUpperCase(), typed);
  return { language: language === '-' ? undefined : language, name: name.join(' ') || undefined, keys };
}

export const LAYOUTS = ROWS.map(toLayout);

/** The last consonants of Korean syllables, as the consonants that the keys give. */
const FINALS: Record<string, string> = {
  '\u11a8': '\u1100',
  '\u11a9': '\u1101',
  '\u11ae': '\u1103',
  '\u11af': '\u1105',
  '\u11b1': '\u1105\u1106',
  '\u11b7': '\u1106',
  '\u11bc': '\u110b',
  '\u11be': '\u110e',
};
const LAM_ALEF: Record<string, string> = { لا: '\ufefb', لآ: '\ufef5' };

/** Splits what keys and input methods join, so that each character is that of one key. */
export const splitKeys = (text: string): string =>
  text
    .replace(/[\uff01-\uff9f]/g, (wide) => wide.normalize('NFKC'))
    .replace(/[\u3041-\u3096]/g, (hiragana) => String.fromCharCode(hiragana.charCodeAt(0) + 0x60))
    .replace(/[\u3131-\u3163\uac00-\ud7a3]/g, (korean) => korean.normalize('NFKD'))
    .replace(/[\u11a8-\u11c2]/g, (final) => FINALS[final] ?? final)
    .replace(/ل[اآ]/g, (pair) => LAM_ALEF[pair] ?? pair);

/** What the keys that gave this text type on a US keyboard. */
export const typedOn = ({ keys }: Layout, text: string): string =>
  Array.from(text, (character) => keys.get(character) ?? character).join('');
