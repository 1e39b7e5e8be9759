const en = {
  restored: 'Your unsaved changes have been restored.',
  adopted: (fields: string) => `Changed elsewhere while you were editing, and updated here: ${fields}.`,
  conflict: 'You and someone else changed the same field',
  conflictLead: 'Choose what to keep. Nothing is saved until you do.',
  mine: 'Yours',
  theirs: 'Theirs',
  empty: '(empty)',
};

const ru: typeof en = {
  restored: 'Несохранённые изменения восстановлены.',
  adopted: (fields) => `Пока вы редактировали, изменилось и уже обновлено здесь: ${fields}.`,
  conflict: 'Вы и кто-то ещё изменили одно и то же',
  conflictLead: 'Выберите, что оставить. До этого ничего не сохранится.',
  mine: 'Ваш вариант',
  theirs: 'Другой вариант',
  empty: '(пусто)',
};

export const MESSAGES = { en, ru };
