import { count } from '../../words';
import type { AttemptError, Channel, ChoosableEvent, EventName } from '../automation-api';

/** Every event a channel can choose, in the order of the catalogue. Complete, or it does not compile. */
const events: Record<ChoosableEvent, string> = {
  'order.created': 'An order is created',
  'order.status_changed': 'The status of an order changes',
  'printer.print_finished': 'A printer finishes a print',
  'printer.print_failed': 'A print fails',
  'filament.low_stock': 'A filament drops to its low-stock mark',
  'lead.created': 'A request arrives from your public profile',
  'invoice.paid': 'An invoice is paid online',
};
const allEvents: Record<EventName, string> = { ...events, 'webhook.test': 'A test was asked for' };

export const CHOOSABLE = Object.keys(events) as ChoosableEvent[];
export const EVENT_NAMES = Object.keys(allEvents) as EventName[];

const formats: Record<Channel['format'], string> = {
  signed: 'Signed JSON',
  slack: 'Slack',
  discord: 'Discord',
};

/** What happened, and what to do about it. */
const errors: Record<AttemptError, string> = {
  timeout: 'No answer within 10 seconds. Let the receiver answer at once and do its work afterwards.',
  connection_refused: 'Nothing listens at this address. Is the receiver running, and is the port right?',
  connection_reset: 'The receiver closed the connection before it answered. Look into its log.',
  dns_error: 'The name in the address cannot be found. Check its spelling, and whether this server can resolve it.',
  tls_error:
    'No trusted https connection. Check the certificate of the receiver (own name, not expired, known issuer), or use http:// in your own network.',
  http_status:
    'The receiver refused it. Its status and its log say why; 404 mostly means a wrong path or a workflow that is off.',
  redirect:
    'The receiver sent us elsewhere, and we do not follow. Enter the address it leads to (often https:// instead of http://).',
  blocked_address:
    'Webhooks may not go to this address. The operator allows it with the setting WEBHOOK_ALLOWED_HOSTS.',
  invalid_response: 'The answer was not HTTP. Does another kind of program listen at this port?',
  network_error: 'The network failed on the way. Check the connection of this server, then send it again.',
  interrupted:
    'The service was stopped while it was sending; whether it arrived is not known. Send it again if it matters.',
  expired: 'It waited for more than an hour and was not sent any more. Send it again if it matters.',
  channel_disabled: 'The channel was switched off before its turn. Switch it on and send it again if it matters.',
};

const en = {
  events: allEvents,
  formats,
  errors,
  count: (n: number, most: number): string => `${n} of ${most} channels`,
  make: 'New channel',
  full: (most: number): string =>
    `There are ${most} channels, which is the most there can be. Delete one to make another.`,
  emptyTitle: 'No channels yet',
  lead: 'A channel sends what happens on the farm to an address of yours the moment it happens: to n8n, Node-RED, Home Assistant, Slack, Discord or your own program.',
  list: 'Channels',
  failing: 'Failing',
  on: 'On',
  off: 'Off',
  enabled: (name: string): string => `Send to ${name}`,
  switchedOff: 'Switched off. What waited in it was given up.',
  name: 'Name',
  nameHint: 'Empty: the host of the address',
  url: 'Address',
  urlRule: 'An address that begins with http:// or https://',
  urlHints: {
    signed: 'Where your program receives a POST',
    slack: 'The incoming-webhook address of Slack. It is a secret and is only shown shortened from now on',
    discord: 'The webhook address of a Discord channel. It is a secret and is only shown shortened from now on',
  },
  urlKept: 'Leave it as it is to keep the address. It is a secret, so only its beginning is shown.',
  format: 'Format',
  formatHints: {
    signed: 'JSON with a signature that proves it came from here',
    slack: 'A message for people, in Slack’s own form',
    discord: 'A message for people, in Discord’s own form',
  },
  chosen: 'Send when',
  eventsRule: 'Choose at least one event',
  create: 'Make the channel',
  edit: 'Edit',
  delete: 'Delete',
  deleteAsk: (name: string): string =>
    `Delete “${name}”, its secret and its history? What still waits in it is not sent.`,
  deleted: (name: string): string => `${name} was deleted`,
  test: 'Send test event',
  testing: 'Sending …',
  secretTitle: (name: string): string => `The signing secret of ${name}`,
  secret: 'Signing secret',
  recreate: 'New secret',
  recreateAsk:
    'The old secret ends at once: receivers that check signatures refuse everything until they know the new one. Make a new secret?',
  attempts: 'Last attempts',
  noAttempts: 'Nothing was sent yet. “Send test event” shows whether the address works.',
  time: 'Time',
  event: 'Event',
  outcome: 'Outcome',
  took: 'Took',
  action: 'Action',
  arrived: 'Arrived',
  failed: 'Failed',
  status: (status: number): string => `status ${status}`,
  ms: (text: string): string => `${text} ms`,
  resend: 'Send again',
  limit: 'There are 10 channels already, which is the most there can be. Delete one that is no longer needed.',
  blocked:
    'Webhooks may not go to this address. If it is yours, the operator of this service allows it with the setting WEBHOOK_ALLOWED_HOSTS (for example “external,private” or “192.168.1.0/24”) and restarts it.',
};

const ru: typeof en = {
  events: {
    'order.created': 'Создан заказ',
    'order.status_changed': 'Изменился статус заказа',
    'printer.print_finished': 'Принтер закончил печать',
    'printer.print_failed': 'Печать не удалась',
    'filament.low_stock': 'Филамент кончается: достигнут порог',
    'lead.created': 'Пришла заявка с вашей публичной страницы',
    'invoice.paid': 'Счёт оплачен онлайн',
    'webhook.test': 'Запрошена проверка',
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
  },
  count: (n, most) => `${count(n, 'канал', 'канала', 'каналов')} из ${most}`,
  make: 'Новый канал',
  full: (most) => `Каналов уже ${most}, больше нельзя. Удалите один, чтобы создать другой.`,
  emptyTitle: 'Каналов пока нет',
  lead: 'Канал сразу отправляет на ваш адрес то, что происходит на ферме: в n8n, Node-RED, Home Assistant, Slack, Discord или вашу программу.',
  list: 'Каналы',
  failing: 'Не доходит',
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
  testing: 'Отправляется …',
  secretTitle: (name) => `Секрет подписи канала ${name}`,
  secret: 'Секрет подписи',
  recreate: 'Новый секрет',
  recreateAsk:
    'Старый секрет сразу перестанет действовать: получатели, которые проверяют подпись, будут отказывать, пока не узнают новый. Создать новый секрет?',
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

export const WORDS = { en, ru };
