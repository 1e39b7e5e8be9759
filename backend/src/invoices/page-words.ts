import type { Language } from '../language.ts';

interface PageWords {
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
  notFound: string;
  notFoundLead: string;
  tooMany: string;
  wait: string;
  broken: string;
  brokenLead: string;
}

/** What the pay page says around the document, in the reader's language. */
export const PAGE_WORDS: Record<Language, PageWords> = {
  en: {
    thisLanguage: 'English',
    invoice: (number) => `Invoice ${number}`,
    state: 'Payment',
    due: (amount) => `Amount due: ${amount}`,
    dueUntil: (day) => `Please pay by ${day}.`,
    received: (amount) => `Received so far: ${amount}`,
    refunded: (amount) => `Refunded: ${amount}`,
    paid: (day) => `Paid on ${day}. Thank you!`,
    void: 'This invoice was cancelled. Please do not pay it.',
    pay: (amount) => `Pay ${amount}`,
    testMode: 'Test mode: no money moves. Use the card 4242 4242 4242 4242.',
    pdf: 'Download as PDF',
    print: 'To print',
    sent: 'Thank you. Your payment is on its way to us; this page shows it as soon as it is confirmed. Please do not pay again.',
    failed:
      'The payment page cannot be reached just now. Nothing was charged and nothing is lost: please try again in a few minutes, or pay as the invoice says.',
    otherwise: 'This invoice cannot be paid on this page. Please pay as it says below.',
    notFound: 'There is no invoice here',
    notFoundLead: 'The link is not complete, or mistyped. Please copy it whole from the message you were sent.',
    tooMany: 'Too many requests',
    wait: 'Please wait a minute and try again.',
    broken: 'This page cannot be shown just now',
    brokenLead: 'Nothing is lost. Please try again in a few minutes.',
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
    print: 'Для печати',
    sent: 'Спасибо. Платёж уже в пути; как только он подтвердится, это будет видно здесь. Пожалуйста, не платите второй раз.',
    failed:
      'Страница оплаты сейчас недоступна. Деньги не списаны, ничего не потеряно: попробуйте через несколько минут или оплатите так, как указано в счёте.',
    otherwise: 'На этой странице счёт оплатить нельзя. Пожалуйста, оплатите так, как указано ниже.',
    notFound: 'Здесь нет счёта',
    notFoundLead: 'Ссылка неполная или с опечаткой. Скопируйте её целиком из сообщения, которое вам прислали.',
    tooMany: 'Слишком много запросов',
    wait: 'Подождите минуту и попробуйте ещё раз.',
    broken: 'Страницу сейчас не показать',
    brokenLead: 'Ничего не потеряно. Попробуйте через несколько минут.',
  },
};
