const en = {
  title: 'Discard unsaved changes?',
  lead: 'Your changes on this page have not been saved.',
  keep: 'Keep editing',
  discard: 'Discard changes',
  restored: 'Your unsaved changes have been restored.',
  changed: 'This was changed elsewhere while you were editing. Saving overwrites only the fields you edited.',
};

const ru: typeof en = {
  title: 'Отменить несохранённые изменения?',
  lead: 'Изменения на этой странице ещё не сохранены.',
  keep: 'Продолжить',
  discard: 'Не сохранять',
  restored: 'Несохранённые изменения восстановлены.',
  changed: 'Пока вы редактировали, данные изменились. Сохранение запишет только изменённые вами поля.',
};

export const MESSAGES = { en, ru };
