import type { Language } from '../language.ts';
import type { LeadText } from './lead.ts';

export type FormField = keyof LeadText | 'file';

/** What can be wrong with a request, in one word. The last ones are about no field. */
export type FormFault = 'required' | 'no_email' | 'too_long' | 'file_too_large' | 'file_kind' | 'no_room';
export type FormTrouble = 'too_fast' | 'expired' | 'too_many_of_client' | 'too_many_of_account';

const en = {
  masters: 'Workshops',
  mastersLead: 'Workshops that accept requests through Farmboard.',
  mastersTitle: '3D-printing workshops',
  noMasters: 'There is nobody here yet.',
  nothingFound: 'Nobody here prints with this material.',
  showAll: 'Show all',
  search: 'Material',
  searchHint: 'For example PETG',
  find: 'Find',
  previous: 'Previous page',
  next: 'Next page',
  page: (page: number, of: number) => `Page ${page} of ${of}`,
  otherLanguage: 'По-русски',
  photo: (n: number, of: number) => `Photo ${n} of ${of}`,
  photos: 'Photos',
  materials: 'Materials',
  contact: 'Contact',
  request: 'Send a request',
  requestLead: 'Describe what you need. The answer comes to your e-mail.',
  fields: {
    description: 'What is to be printed?',
    contact: 'Your name, or how else to reach you',
    client_email: 'E-mail',
    budget: 'Budget',
    deadline: 'When do you need it?',
    file: 'A file',
  },
  hints: {
    description: 'Purpose, size, quantity, material, colour',
    file: 'A model, drawing or picture: STL, 3MF, OBJ, STEP, PDF, PNG, JPEG, WebP or ZIP, at most 20 MB',
  },
  optional: 'optional',
  trap: 'Leave this empty',
  send: 'Send',
  sendAgain: 'Nothing was sent yet',
  chooseAgain: 'Please choose the file once more: browsers do not keep it.',
  faults: {
    required: 'Please fill this in.',
    no_email: 'This is no e-mail address, such as name@example.com.',
    too_long: 'This is too long. All texts together may have some 12,000 characters.',
    file_too_large: 'The file is larger than 20 MB. Send a smaller one, or a link to it in the text.',
    file_kind: 'This is no file of the kinds that are taken: STL, 3MF, OBJ, STEP, PDF, PNG, JPEG, WebP or ZIP.',
    no_room: 'There is no room for files just now. Send the request without it, or with a link to it in the text.',
  } satisfies Record<FormFault, string>,
  troubles: {
    too_fast: 'That was faster than anybody types, so it was held back. Please press Send once more.',
    expired: 'This page was open for a long time. Please press Send once more.',
    too_many_of_client: 'Several requests came from your connection within an hour. Please try again later.',
    too_many_of_account: 'Many requests came in today and no more are taken. Please try again tomorrow.',
  } satisfies Record<FormTrouble, string>,
  sent: 'Your request was sent',
  sentLead: 'Thank you. The answer comes to your e-mail.',
  back: 'Back to the page',
  notFound: 'There is no such page',
  notFoundLead: 'Perhaps the address has a typing error, or the page was taken down.',
  unreadable: {
    400: ['The form could not be read', 'Go back and send it again.'],
    408: ['Sending took too long', 'Go back and try again, with a smaller file or without it.'],
    413: [
      'The file is too large',
      'It may have at most 20 MB. Go back and choose another, or send a link to it in the text.',
    ],
    415: ['The form could not be read', 'Send it from the page itself.'],
    429: ['Too many tries', 'Please wait some minutes, then go back and send it again.'],
    503: ['Too much at once', 'Others are sending files just now. Wait a moment, go back and send it again.'],
    500: ['Something went wrong', 'Nothing was sent. Go back and try again in a moment.'],
  } as Record<number, [string, string]>,
};

export type PageWords = typeof en;

const ru: PageWords = {
  masters: 'Мастерские',
  mastersLead: 'Они принимают заявки через Farmboard.',
  mastersTitle: 'Мастерские 3D-печати',
  noMasters: 'Здесь пока никого нет.',
  nothingFound: 'Этим материалом здесь никто не печатает.',
  showAll: 'Показать всех',
  search: 'Материал',
  searchHint: 'Например, PETG',
  find: 'Найти',
  previous: 'Предыдущая страница',
  next: 'Следующая страница',
  page: (page, of) => `Страница ${page} из ${of}`,
  otherLanguage: 'In English',
  photo: (n, of) => `Фото ${n} из ${of}`,
  photos: 'Фотографии',
  materials: 'Материалы',
  contact: 'Контакты',
  request: 'Отправить заявку',
  requestLead: 'Опишите, что нужно. Ответ придёт на вашу почту.',
  fields: {
    description: 'Что напечатать?',
    contact: 'Ваше имя или другой способ связи',
    client_email: 'Электронная почта',
    budget: 'Бюджет',
    deadline: 'К какому сроку?',
    file: 'Файл',
  },
  hints: {
    description: 'Назначение, размер, количество, материал, цвет',
    file: 'Модель, чертёж или изображение: STL, 3MF, OBJ, STEP, PDF, PNG, JPEG, WebP или ZIP, не больше 20 МБ',
  },
  optional: 'необязательно',
  trap: 'Оставьте пустым',
  send: 'Отправить',
  sendAgain: 'Пока ничего не отправлено',
  chooseAgain: 'Выберите файл ещё раз: браузер его не сохраняет.',
  faults: {
    required: 'Заполните это поле.',
    no_email: 'Это не адрес почты, например name@example.com.',
    too_long: 'Слишком длинно. Все тексты вместе — примерно до 8000 букв.',
    file_too_large: 'Файл больше 20 МБ. Выберите файл поменьше или дайте ссылку в тексте.',
    file_kind: 'Такие файлы не принимаются. Подойдут STL, 3MF, OBJ, STEP, PDF, PNG, JPEG, WebP или ZIP.',
    no_room: 'Для файлов сейчас нет места. Отправьте заявку без файла или со ссылкой в тексте.',
  },
  troubles: {
    too_fast: 'Так быстро никто не печатает, поэтому заявка задержана. Нажмите «Отправить» ещё раз.',
    expired: 'Страница была открыта слишком долго. Нажмите «Отправить» ещё раз.',
    too_many_of_client: 'С вашего подключения за час пришло несколько заявок. Попробуйте позже.',
    too_many_of_account: 'Сегодня пришло много заявок, новые пока не принимаются. Попробуйте завтра.',
  },
  sent: 'Заявка отправлена',
  sentLead: 'Спасибо. Ответ придёт на вашу почту.',
  back: 'Вернуться на страницу',
  notFound: 'Такой страницы нет',
  notFoundLead: 'Возможно, в адресе опечатка или страницу убрали.',
  unreadable: {
    400: ['Не удалось прочитать форму', 'Вернитесь назад и отправьте её ещё раз.'],
    408: ['Отправка заняла слишком много времени', 'Вернитесь назад и попробуйте с файлом поменьше или без него.'],
    413: [
      'Файл слишком большой',
      'Он может быть не больше 20 МБ. Вернитесь назад и выберите другой или дайте ссылку в тексте.',
    ],
    415: ['Не удалось прочитать форму', 'Отправьте её с самой страницы.'],
    429: ['Слишком много попыток', 'Подождите несколько минут, вернитесь назад и отправьте ещё раз.'],
    503: ['Слишком много сразу', 'Сейчас файлы отправляют другие. Подождите, вернитесь назад и отправьте ещё раз.'],
    500: ['Что-то пошло не так', 'Ничего не отправлено. Вернитесь назад и попробуйте чуть позже.'],
  },
};

export const PAGE_WORDS: Record<Language, PageWords> = { en, ru };
