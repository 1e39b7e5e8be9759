import { count } from '../../i18n/messages';
import type { AttemptError, Channel, ChoosableEvent, EventName } from '../automation-api';

/**
 * Every event a channel can subscribe to, in the order of the catalog. The type makes a missing one a compile error.
 */
const events: Record<ChoosableEvent, string> = {
  'order.created': 'Order created',
  'order.status_changed': 'Order status changed',
  'printer.print_finished': 'Print finished',
  'printer.print_failed': 'Print failed',
  'filament.low_stock': 'Filament low in stock',
  'lead.created': 'Request from your workshop profile',
  'invoice.paid': 'Invoice paid online',
};
const allEvents: Record<EventName, string> = { ...events, 'webhook.test': 'Test event' };

export const CHOOSABLE = Object.keys(events) as ChoosableEvent[];
export const EVENT_NAMES = Object.keys(allEvents) as EventName[];

const formats: Record<Channel['format'], string> = {
  signed: 'Signed JSON',
  slack: 'Slack',
  discord: 'Discord',
};

export const FORMATS = Object.keys(formats) as Channel['format'][];

/** Explains each error and how to fix it. */
const errors: Record<AttemptError, string> = {
  timeout: 'No response within 10 seconds. The receiver should respond right away and do its work afterwards.',
  connection_refused: 'Connection refused. Check that the receiver is running and the port is correct.',
  connection_reset: 'The receiver closed the connection without responding. Check its log.',
  dns_error: 'The host name can’t be resolved. Check its spelling, and that this server can resolve it.',
  tls_error:
    'The HTTPS connection isn’t trusted. Check the receiver’s certificate (host name, expiry date, issuer), or use http:// on your own network.',
  http_status:
    'The receiver rejected the event. Check the status code and the receiver’s log; 404 usually means a wrong path or an inactive workflow.',
  redirect:
    'The receiver sent a redirect, and redirects aren’t followed. Enter the URL it points to (often https:// instead of http://).',
  blocked_address:
    'Webhooks to this address are blocked. The operator of this server can allow it with the WEBHOOK_ALLOWED_HOSTS setting.',
  invalid_response: 'The response wasn’t HTTP. Check whether another program is using this port.',
  network_error: 'Network error. Check this server’s connection, then resend the event.',
  interrupted:
    'Farmboard was stopped while sending, so the event may or may not have arrived. Resend it if you still need it.',
  expired: 'The event waited for more than an hour and was not sent. Resend it if you still need it.',
  channel_disabled:
    'This channel was turned off before the event was sent. Turn it on and resend the event if you still need it.',
  secret_lost:
    'This channel’s signing secret or URL was lost together with the server’s secret key. Replace the secret and give it to the receiver (for Slack and Discord: enter the URL again), then turn the channel on.',
  unsubscribed:
    'The receiver had deleted this channel at the time, for example by unpublishing its workflow. Resend the event if you still need it.',
};

const en = {
  events: allEvents,
  formats,
  errors,
  count: (n: number, max: number): string => `${n} of ${max} channels`,
  newChannel: 'New channel',
  full: (max: number): string => `You’ve reached the limit of ${max} channels. Delete one to create another.`,
  emptyTitle: 'No webhook channels yet',
  lead: 'A webhook channel sends events to a URL of your choice as they happen: to n8n, Node-RED, Home Assistant, Slack, Discord or your own program.',
  list: 'Webhook channels',
  failing: 'Failing',
  failedInARow: (n: number): string => (n === 1 ? 'The last attempt failed' : `The last ${n} attempts failed`),
  paused: 'Paused',
  pausedSince: (time: string): string =>
    `Paused since ${time}: events aren’t sent until you turn the channel on. The last error:`,
  firstMissed: (event: string, time: string): string => `The first event it missed: ${event}, ${time}.`,
  toEvents: 'Event log',
  only: (what: string): string => `Only: ${what}`,
  withHeader: (name: string): string => `With the header ${name}`,
  filter: 'Filter',
  filterHint:
    'Events about other orders and printers aren’t sent. An empty field doesn’t limit anything, and events without the field are always sent.',
  filterStatuses: 'Statuses',
  filterPrinters: 'Printers',
  filterMaterials: 'Materials',
  filterMaterialsHint: 'As written in orders, upper and lower case included',
  deletedPrinter: 'Deleted printer',
  unknownMaterials: (names: string): string =>
    `Saved, but no order or filament has this material yet: ${names}. Check the spelling.`,
  pauseAfter: 'Pause after failures',
  pauseAfterHint: 'The channel is turned off when so many attempts have failed in a row.',
  never: 'Never',
  failures: (n: number): string => `${n} failures in a row`,
  header: 'Extra header',
  headerHint: 'For receivers that ask for a key. The value is stored encrypted and never shown again.',
  headerName: 'Header',
  headerValue: 'Value',
  overlap: 'How long should the old secret keep working?',
  overlaps: { 0: 'Not at all', 1: '1 hour', 24: '24 hours', 168: '7 days' },
  recreateLaterAsk:
    'Until then, X-Svc-Signature is made with the old secret and webhook-signature with both. Give the receiver the new one in time. Replace the secret?',
  oldSecretUntil: (time: string): string => `The old secret works until ${time}`,
  lastSuccess: (time: string): string => `last delivered ${time}`,
  on: 'On',
  off: 'Off',
  enabled: (name: string): string => `Send to ${name}`,
  switchedOff: 'Turned off. Waiting events were discarded.',
  name: 'Name',
  nameHint: 'Leave empty to use the host name',
  url: 'URL',
  urlRule: 'Enter a URL that starts with http:// or https://',
  urlHints: {
    signed: 'Where your program accepts POST requests',
    slack: 'Your Slack incoming webhook URL. It’s a secret, so only its beginning is shown once saved.',
    discord: 'Your Discord channel’s webhook URL. It’s a secret, so only its beginning is shown once saved.',
  },
  urlKept: 'It’s a secret, so only its beginning is shown. Leave this field unchanged to keep the URL.',
  format: 'Format',
  formatHints: {
    signed: 'JSON with a signature that proves it came from Farmboard',
    slack: 'A readable message in Slack’s format',
    discord: 'A readable message in Discord’s format',
  },
  chosen: 'Events to send',
  eventsRule: 'Select at least one event',
  create: 'Create channel',
  edit: 'Edit',
  delete: 'Delete',
  deleteAsk: (name: string): string =>
    `Delete “${name}”, its secret and its delivery history? Waiting events won’t be sent.`,
  deleted: (name: string): string => `${name} deleted`,
  test: 'Send test event',
  testing: 'Sending…',
  secretTitle: (name: string): string => `Signing secret for ${name}`,
  secret: 'Signing secret',
  recreate: 'Replace secret',
  recreateAsk:
    'The old secret stops working immediately. Receivers that verify signatures will reject events until they have the new one. Replace the secret?',
  attempts: 'Recent attempts',
  noAttempts: 'Nothing sent yet. Use “Send test event” to check that the URL works.',
  time: 'Time',
  event: 'Event',
  outcome: 'Result',
  took: 'Duration',
  action: 'Action',
  arrived: 'Delivered',
  failed: 'Failed',
  status: (status: number): string => `HTTP ${status}`,
  ms: (text: string): string => `${text} ms`,
  resend: 'Resend',
  limit: 'You’ve reached the limit of 10 channels. Delete one you no longer need.',
  blocked:
    'Webhooks to this address are blocked. If it’s yours, the operator of this server can allow it with the WEBHOOK_ALLOWED_HOSTS setting (for example “external,private” or “192.168.1.0/24”) and restart Farmboard.',
};

const ru: typeof en = {
  events: {
    'order.created': 'Создан заказ',
    'order.status_changed': 'Изменился статус заказа',
    'printer.print_finished': 'Принтер закончил печать',
    'printer.print_failed': 'Печать не удалась',
    'filament.low_stock': 'Филамент кончается: достигнут порог',
    'lead.created': 'Пришла заявка с профиля мастерской',
    'invoice.paid': 'Счёт оплачен онлайн',
    'webhook.test': 'Проверка',
  },
  formats: { signed: 'JSON с подписью', slack: 'Slack', discord: 'Discord' },
  errors: {
    timeout: 'Нет ответа за 10 секунд. Пусть получатель отвечает сразу, а работает потом.',
    connection_refused: 'По этому адресу никто не слушает. Получатель запущен? Порт верный?',
    connection_reset: 'Получатель закрыл соединение, не ответив. Посмотрите его журнал.',
    dns_error: 'Имя из адреса не найдено. Проверьте написание и то, находит ли его этот сервер.',
    tls_error:
      'Нет доверенного соединения https. Проверьте сертификат получателя (имя, срок, издатель) или укажите http:// в своей сети.',
    http_status:
      'Получатель отказал. Причину скажут статус и его журнал; 404 чаще всего значит неверный путь или выключенный сценарий.',
    redirect:
      'Получатель отправил нас по другому адресу, но мы не переходим. Укажите тот адрес (часто https:// вместо http://).',
    blocked_address:
      'На этот адрес вебхуки не отправляются. Разрешить его может администратор сервиса настройкой WEBHOOK_ALLOWED_HOSTS.',
    invalid_response: 'Ответ был не по HTTP. Может быть, на этом порту другая программа?',
    network_error: 'Сбой сети по дороге. Проверьте связь сервера и отправьте ещё раз.',
    interrupted: 'Сервис остановили во время отправки; дошло ли, неизвестно. Если это важно, отправьте ещё раз.',
    expired: 'Прождало больше часа и уже не отправлялось. Если это важно, отправьте ещё раз.',
    channel_disabled: 'Канал выключили раньше. Включите его и отправьте ещё раз, если это важно.',
    secret_lost:
      'Секрет подписи или адрес канала потерян вместе с секретным ключом сервера. Замените секрет и передайте его получателю (для Slack и Discord введите адрес заново), затем включите канал.',
    unsubscribed:
      'В это время канал был удалён самим получателем, например вместе с публикацией сценария. Если это важно, отправьте ещё раз.',
  },
  count: (n, max) => `${count(n, 'канал', 'канала', 'каналов')} из ${max}`,
  newChannel: 'Новый канал',
  full: (max) => `Каналов уже ${max}, больше нельзя. Удалите один, чтобы создать другой.`,
  emptyTitle: 'Каналов пока нет',
  lead: 'Канал сразу отправляет на ваш адрес то, что происходит на ферме: в n8n, Node-RED, Home Assistant, Slack, Discord или вашу программу.',
  list: 'Каналы',
  failing: 'Не доходит',
  failedInARow: (n) => `Не дошло подряд: ${count(n, 'отправка', 'отправки', 'отправок')}`,
  paused: 'Приостановлен',
  pausedSince: (time) => `Приостановлен ${time}: события не отправляются, пока вы не включите канал. Последняя ошибка:`,
  firstMissed: (event, time) => `Первое пропущенное событие: ${event}, ${time}.`,
  toEvents: 'Журнал событий',
  only: (what) => `Только: ${what}`,
  withHeader: (name) => `С заголовком ${name}`,
  filter: 'Фильтр',
  filterHint:
    'События о других заказах и принтерах не отправляются. Пустое поле ничего не ограничивает, а события без такого поля отправляются всегда.',
  filterStatuses: 'Статусы',
  filterPrinters: 'Принтеры',
  filterMaterials: 'Материалы',
  filterMaterialsHint: 'Как в заказах, с учётом регистра',
  deletedPrinter: 'Удалённый принтер',
  unknownMaterials: (names) =>
    `Сохранено, но такого материала пока нет ни в заказах, ни среди филаментов: ${names}. Проверьте написание.`,
  pauseAfter: 'Приостановить после сбоев',
  pauseAfterHint: 'Канал выключится, когда столько отправок подряд не дойдёт.',
  never: 'Никогда',
  failures: (n) => `${count(n, 'сбой', 'сбоя', 'сбоев')} подряд`,
  header: 'Дополнительный заголовок',
  headerHint: 'Для получателей, которым нужен ключ. Значение хранится зашифрованным и больше не показывается.',
  headerName: 'Заголовок',
  headerValue: 'Значение',
  overlap: 'Сколько ещё будет действовать старый секрет?',
  overlaps: { 0: 'Нисколько', 1: '1 час', 24: '24 часа', 168: '7 дней' },
  recreateLaterAsk:
    'До тех пор X-Svc-Signature создаётся старым секретом, а webhook-signature — обоими. Успейте передать получателю новый. Заменить секрет?',
  oldSecretUntil: (time) => `Старый секрет действует до ${time}`,
  lastSuccess: (time) => `последняя дошла ${time}`,
  on: 'Вкл',
  off: 'Выкл',
  enabled: (name) => `Отправлять в ${name}`,
  switchedOff: 'Выключен. То, что ждало отправки, отменено.',
  name: 'Название',
  nameHint: 'Пусто: имя узла из адреса',
  url: 'Адрес',
  urlRule: 'Адрес, который начинается с http:// или https://',
  urlHints: {
    signed: 'Куда ваша программа принимает POST',
    slack: 'Адрес входящего вебхука Slack. Это секрет, дальше он виден только сокращённо',
    discord: 'Адрес вебхука канала Discord. Это секрет, дальше он виден только сокращённо',
  },
  urlKept: 'Чтобы оставить адрес, не меняйте поле. Адрес секретный, поэтому видно только начало.',
  format: 'Формат',
  formatHints: {
    signed: 'JSON с подписью, которая доказывает отправителя',
    slack: 'Сообщение для людей в формате Slack',
    discord: 'Сообщение для людей в формате Discord',
  },
  chosen: 'Отправлять, когда',
  eventsRule: 'Выберите хотя бы одно событие',
  create: 'Создать канал',
  edit: 'Изменить',
  delete: 'Удалить',
  deleteAsk: (name) => `Удалить «${name}», его секрет и историю? То, что ещё ждёт, отправлено не будет.`,
  deleted: (name) => `Канал ${name} удалён`,
  test: 'Отправить проверку',
  testing: 'Отправляется…',
  secretTitle: (name) => `Секрет подписи канала ${name}`,
  secret: 'Секрет подписи',
  recreate: 'Заменить секрет',
  recreateAsk:
    'Старый секрет сразу перестанет действовать: получатели, которые проверяют подпись, будут отказывать, пока не узнают новый. Заменить секрет?',
  attempts: 'Последние отправки',
  noAttempts: 'Пока ничего не отправлено. «Отправить проверку» покажет, работает ли адрес.',
  time: 'Время',
  event: 'Событие',
  outcome: 'Итог',
  took: 'Заняло',
  action: 'Действие',
  arrived: 'Дошло',
  failed: 'Не дошло',
  status: (status) => `статус ${status}`,
  ms: (text) => `${text} мс`,
  resend: 'Отправить ещё раз',
  limit: 'Каналов уже 10, больше нельзя. Удалите ненужный.',
  blocked:
    'На этот адрес вебхуки не отправляются. Если адрес ваш, администратор сервиса может разрешить его настройкой WEBHOOK_ALLOWED_HOSTS (например, «external,private» или «192.168.1.0/24») и перезапустить сервис.',
};

export const MESSAGES = { en, ru };
