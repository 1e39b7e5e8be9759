const en = {
  tabs: 'Integrations',
  channels: 'Webhook channels',
  tokens: 'Access tokens',
  connect: 'Connect',
  events: 'Event log',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  stored: 'I’ve saved it',
  once: 'Copy it now; it won’t be shown again.',
  never: 'Never',
};

const ru: typeof en = {
  tabs: 'Интеграции',
  channels: 'Каналы вебхуков',
  tokens: 'Токены доступа',
  connect: 'Подключение',
  events: 'Журнал событий',
  cancel: 'Отмена',
  close: 'Закрыть',
  save: 'Сохранить',
  stored: 'Сохранил у себя',
  once: 'Скопируйте сейчас: больше он не показывается.',
  never: 'Никогда',
};

export const MESSAGES = { en, ru };
