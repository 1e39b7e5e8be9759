const en = {
  stored: 'I’ve saved it',
  once: 'Copy it now; it won’t be shown again.',
};

const ru: typeof en = {
  stored: 'Скопировано и сохранено',
  once: 'Скопируйте сейчас: больше он не показывается.',
};

export const MESSAGES = { en, ru };
