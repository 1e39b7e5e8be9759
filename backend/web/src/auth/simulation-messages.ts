const en = {
  watch: 'Watch a simulated farm',
  title: 'Simulated farm',
  opening: 'Opening the simulated farm…',
  gone: 'This simulation has been removed.',
  label: 'Simulation',
  lead: 'A day in three minutes. Nothing here is real.',
  over: 'The day is over.',
  clock: 'Time of the simulated day',
  idle: 'idle',
  progress: (printer: string, order: string) => `${printer} prints ${order}`,
  remove: 'Remove the simulation',
};

const ru: typeof en = {
  watch: 'Посмотреть симуляцию фермы',
  title: 'Симуляция фермы',
  opening: 'Открываем симуляцию фермы…',
  gone: 'Эта симуляция уже удалена.',
  label: 'Симуляция',
  lead: 'День за три минуты. Здесь всё ненастоящее.',
  over: 'День закончен.',
  clock: 'Время симулированного дня',
  idle: 'свободен',
  progress: (printer, order) => `${printer} печатает: ${order}`,
  remove: 'Удалить симуляцию',
};

export const MESSAGES = { en, ru };
