import type { Language } from '../../shared/language.ts';
import type { LeadText } from '../lead-schema.ts';

export type FormField = keyof LeadText | 'file';

/** The faults that a form can have. The last ones concern no single field. */
export type FormFault = 'required' | 'no_email' | 'too_long' | 'file_too_large' | 'file_kind' | 'no_room';
export type FormTrouble = 'too_fast' | 'expired' | 'too_many_of_client' | 'too_many_of_account';

const en = {
  profiles: 'All workshops',
  profilesLead: 'Find a workshop and tell it what you need printed.',
  profilesTitle: '3D-printing workshops',
  noProfiles: 'No workshops here yet.',
  nothingFound: 'No workshop here prints with this material.',
  showAll: 'Show all',
  search: 'Material',
  searchHint: 'e.g. PETG',
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
  requestLead: 'Describe what you need and we’ll reply by email.',
  fields: {
    description: 'What do you need printed?',
    contact: 'Your name or another way to reach you',
    client_email: 'Email',
    budget: 'Budget',
    deadline: 'When do you need it?',
    file: 'File',
  },
  hints: {
    description: 'What it’s for, size, quantity, material, color',
    file: 'A model, drawing or photo: STL, 3MF, OBJ, STEP, PDF, PNG, JPEG, WebP or ZIP, up to 20 MB',
  },
  optional: 'optional',
  trap: 'Leave this field empty',
  send: 'Send',
  sendAgain: 'Your request hasn’t been sent yet',
  chooseAgain: 'Please choose your file again: browsers don’t remember it.',
  faults: {
    required: 'This field is required.',
    no_email: 'Enter a valid email address, such as name@example.com.',
    too_long: 'This is too long. All fields together can have about 12,000 characters.',
    file_too_large: 'The file is larger than 20 MB. Choose a smaller one, or put a link to it in the description.',
    file_kind: 'This file type isn’t accepted. Use STL, 3MF, OBJ, STEP, PDF, PNG, JPEG, WebP or ZIP.',
    no_room:
      'We can’t accept files right now. Send the request without the file, or put a link to it in the description.',
  } satisfies Record<FormFault, string>,
  troubles: {
    too_fast: 'The form was filled in unusually fast, so we didn’t send it. Press Send again if you’re not a robot.',
    expired: 'This page was open for too long. Please press Send again.',
    too_many_of_client: 'Too many requests were sent from your network in the last hour. Please try again later.',
    too_many_of_account: 'This workshop has received as many requests as it can take today. Please try again tomorrow.',
  } satisfies Record<FormTrouble, string>,
  sent: 'Request sent',
  sentLead: 'Thank you! We’ll reply by email.',
  back: 'Back to the workshop',
  notFound: 'Page not found',
  notFoundLead: 'Check the address for typos. The page may also have been taken down.',
  unreadable: {
    400: ['We couldn’t read the form', 'Go back and send it again.'],
    408: ['Sending took too long', 'Go back and try again with a smaller file or without one.'],
    413: [
      'The file is too large',
      'Files can be up to 20 MB. Go back and choose a smaller one, or put a link to it in the description.',
    ],
    415: ['We couldn’t read the form', 'Please send it from the workshop’s page.'],
    429: ['Too many attempts', 'Please wait a few minutes, then go back and send it again.'],
    503: ['We’re busy right now', 'Other people are uploading files. Wait a moment, then go back and send it again.'],
    500: ['Something went wrong', 'Your request wasn’t sent. Go back and try again in a moment.'],
  } as Record<number, [string, string]>,
};

export type PageWords = typeof en;

const ru: PageWords = {
  profiles: 'Все мастерские',
  profilesLead: 'Выберите мастерскую и расскажите, что напечатать.',
  profilesTitle: 'Мастерские 3D-печати',
  noProfiles: 'Мастерских пока нет.',
  nothingFound: 'Этим материалом здесь пока никто не печатает.',
  showAll: 'Показать все',
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
  sendAgain: 'Заявка ещё не отправлена',
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
    too_fast:
      'Форма заполнена слишком быстро, поэтому заявка не отправлена. Если вы не робот, нажмите «Отправить» ещё раз.',
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

export const PAGE_MESSAGES: Record<Language, PageWords> = { en, ru };
