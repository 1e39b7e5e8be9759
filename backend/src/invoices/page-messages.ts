import type { Language } from '../shared/language.ts';

interface PageMessages {
  thisLanguage: string;
  invoice(number: string): string;
  state: string;
  due(amount: string): string;
  dueUntil(day: string): string;
  received(amount: string): string;
  refunded(amount: string): string;
  paid(day: string): string;
  void: string;
  pay(amount: string): string;
  testMode: string;
  pdf: string;
  print: string;
  sent: string;
  failed: string;
  otherwise: string;
  /** above an invoice that is not in the reader's language */
  documentIn: Record<Language, string>;
  notFound: string;
  notFoundLead: string;
  tooMany: string;
  wait: string;
  broken: string;
  brokenLead: string;
}

/** The texts of the pay page around the document, in the reader's language. */
export const PAGE_MESSAGES: Record<Language, PageMessages> = {
  en: {
    thisLanguage: 'English',
    invoice: (number) => `Invoice ${number}`,
    state: 'Payment',
    due: (amount) => `Amount due: ${amount}`,
    dueUntil: (day) => `Please pay by ${day}.`,
    received: (amount) => `Received so far: ${amount}`,
    refunded: (amount) => `Refunded: ${amount}`,
    paid: (day) => `Paid on ${day}. Thank you!`,
    void: 'This invoice has been voided. Please don’t pay it.',
    pay: (amount) => `Pay ${amount}`,
    testMode: 'Test mode: you won’t be charged. Use card number 4242 4242 4242 4242.',
    pdf: 'Download PDF',
    print: 'Print version',
    sent: 'Thank you! Your payment is being processed and will show here once it’s confirmed. Please don’t pay again.',
    failed:
      'The payment page is unavailable right now. You haven’t been charged. Please try again in a few minutes, or see the payment details below.',
    otherwise: 'Online payment isn’t available for this invoice. See the payment details below.',
    documentIn: { en: 'The invoice itself is in English.', ru: 'The invoice itself is in Russian.' },
    notFound: 'Invoice not found',
    notFoundLead: 'The link may be incomplete or mistyped. Please copy the whole link from the message you received.',
    tooMany: 'Too many requests',
    wait: 'Please wait a minute and try again.',
    broken: 'This page is unavailable right now',
    brokenLead: 'Please try again in a few minutes.',
  },
  ru: {
    thisLanguage: 'По-русски',
    invoice: (number) => `Счёт № ${number}`,
    state: 'Оплата',
    due: (amount) => `К оплате: ${amount}`,
    dueUntil: (day) => `Пожалуйста, оплатите до ${day}.`,
    received: (amount) => `Уже получено: ${amount}`,
    refunded: (amount) => `Возвращено: ${amount}`,
    paid: (day) => `Оплачен ${day}. Спасибо!`,
    void: 'Этот счёт аннулирован. Пожалуйста, не оплачивайте его.',
    pay: (amount) => `Оплатить ${amount}`,
    testMode: 'Тестовый режим: деньги не списываются. Номер карты: 4242 4242 4242 4242.',
    pdf: 'Скачать PDF',
    print: 'Версия для печати',
    sent: 'Спасибо! Платёж обрабатывается и появится здесь, как только подтвердится. Пожалуйста, не платите второй раз.',
    failed:
      'Страница оплаты сейчас недоступна. Деньги не списаны. Попробуйте через несколько минут или оплатите по реквизитам ниже.',
    otherwise: 'Онлайн-оплата этого счёта недоступна. Оплатите его по реквизитам ниже.',
    documentIn: { en: 'Сам счёт — на английском языке.', ru: 'Сам счёт — на русском языке.' },
    notFound: 'Счёт не найден',
    notFoundLead: 'Возможно, ссылка неполная или с опечаткой. Скопируйте её целиком из полученного сообщения.',
    tooMany: 'Слишком много запросов',
    wait: 'Подождите минуту и попробуйте ещё раз.',
    broken: 'Страница сейчас недоступна',
    brokenLead: 'Попробуйте через несколько минут.',
  },
};
