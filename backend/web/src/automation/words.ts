const en = {
  tabs: 'Parts of automation',
  channels: 'Webhook channels',
  tokens: 'Access tokens',
  connect: 'Connect',
  events: 'Event log',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  stored: 'I have stored it',
  once: 'It is shown this once. Copy it to where it is needed now.',
  never: 'Never',
};

const ru: typeof en = {
  tabs: 'Разделы автоматики',
  channels: 'Каналы вебхуков',
  tokens: 'Токены доступа',
  connect: 'Подключение',
  events: 'Журнал событий',
  cancel: 'Отмена',
  close: 'Закрыть',
  save: 'Сохранить',
  stored: 'Сохранил у себя',
  once: 'Показывается только сейчас. Скопируйте туда, где понадобится.',
  never: 'Никогда',
};

export const WORDS = { en, ru };
