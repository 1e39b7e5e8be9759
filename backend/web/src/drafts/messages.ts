const en = {
  title: 'Discard unsaved changes?',
  keep: 'Keep editing',
  discard: 'Discard changes',
};

const ru: typeof en = {
  title: 'Отменить несохранённые изменения?',
  keep: 'Продолжить',
  discard: 'Не сохранять',
};

export const MESSAGES = { en, ru };
