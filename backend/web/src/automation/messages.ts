const en = {
  tabs: 'Integrations',
  channels: 'Webhook channels',
  tokens: 'Access tokens',
  connect: 'Connect',
  events: 'Event log',
  close: 'Close',
  save: 'Save',
  never: 'Never',
};

const ru: typeof en = {
  tabs: 'Интеграции',
  channels: 'Каналы вебхуков',
  tokens: 'Токены доступа',
  connect: 'Подключение',
  events: 'Журнал событий',
  close: 'Закрыть',
  save: 'Сохранить',
  never: 'Никогда',
};

export const MESSAGES = { en, ru };
