const en = {
  title: 'Discard unsaved changes?',
  lead: {
    order: 'Your changes to this order haven’t been saved.',
    'new-order': 'This new order hasn’t been saved.',
    invoice: 'Your changes to this invoice haven’t been saved.',
    'business-details': 'Your changes to your business details haven’t been saved.',
    profile: 'Your changes to your workshop profile haven’t been saved.',
  },
  keep: 'Keep editing',
  discard: 'Discard changes',
};

const ru: typeof en = {
  title: 'Отменить несохранённые изменения?',
  lead: {
    order: 'Изменения в этом заказе ещё не сохранены.',
    'new-order': 'Новый заказ ещё не сохранён.',
    invoice: 'Изменения в этом счёте ещё не сохранены.',
    'business-details': 'Изменения в реквизитах ещё не сохранены.',
    profile: 'Изменения в профиле мастерской ещё не сохранены.',
  },
  keep: 'Продолжить',
  discard: 'Не сохранять',
};

export const MESSAGES = { en, ru };
