const en = {
  /** what would be lost, by the kind of draft that its name begins with */
  unsaved: {
    order: 'Your changes to this order haven’t been saved.',
    'new-order': 'This new order hasn’t been saved.',
    invoice: 'Your changes to this invoice haven’t been saved.',
    'business-details': 'Your changes to your business details haven’t been saved.',
    profile: 'Your changes to your workshop profile haven’t been saved.',
  },
  restored: 'Your unsaved changes have been restored.',
  adopted: (fields: string) => `Changed elsewhere while you were editing, and updated here: ${fields}.`,
  conflict: 'You and someone else changed the same field',
  conflictLead: 'Choose what to keep. Nothing is saved until you do.',
  mine: 'Yours',
  theirs: 'Theirs',
  empty: '(empty)',
};

const ru: typeof en = {
  unsaved: {
    order: 'Изменения в этом заказе ещё не сохранены.',
    'new-order': 'Новый заказ ещё не сохранён.',
    invoice: 'Изменения в этом счёте ещё не сохранены.',
    'business-details': 'Изменения в реквизитах ещё не сохранены.',
    profile: 'Изменения в профиле мастерской ещё не сохранены.',
  },
  restored: 'Несохранённые изменения восстановлены.',
  adopted: (fields) => `Пока вы редактировали, изменилось и уже обновлено здесь: ${fields}.`,
  conflict: 'Вы и кто-то ещё изменили одно и то же',
  conflictLead: 'Выберите, что оставить. До этого ничего не сохранится.',
  mine: 'Ваш вариант',
  theirs: 'Другой вариант',
  empty: '(пусто)',
};

export const MESSAGES = { en, ru };
