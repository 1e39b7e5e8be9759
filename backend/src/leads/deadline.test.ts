import { readDeadline } from './deadline.ts';

// a Sunday
const TODAY = '2026-11-22';

test.each([
  ['2026-12-05', '2026-12-05'],
  ['by 2026-12-5 please', '2026-12-05'],
  ['05.12.2026', '2026-12-05'],
  ['до 5.12', '2026-12-05'],
  ['до 5.12.26', '2026-12-05'],
  ['5.01', '2027-01-05'],
  ['5 December', '2026-12-05'],
  ['before the 5th of December, 2027', '2027-12-05'],
  ['Dec 5', '2026-12-05'],
  ['December 5th, 2026', '2026-12-05'],
  ['5 декабря', '2026-12-05'],
  ['к 5 дек. 2026', '2026-12-05'],
  ['до 3 мая', '2027-05-03'],
  ['25/12/2026', '2026-12-25'],
  ['12/25/2026', '2026-12-25'],
  ['today', '2026-11-22'],
  ['tomorrow', '2026-11-23'],
  ['послезавтра', '2026-11-24'],
  ['in 10 days', '2026-12-02'],
  ['within a week', '2026-11-29'],
  ['через 2 недели', '2026-12-06'],
  ['через неделю', '2026-11-29'],
  ['next Friday', '2026-11-27'],
  ['к пятнице или в среду', '2026-11-25'],
  ['Sunday', '2026-11-29'],
])('reads %j as %s', (text, day) => {
  expect(readDeadline(text, TODAY)).toBe(day);
});

test.each([
  '',
  'soon',
  'as soon as possible',
  'не срочно',
  'в среднем через месяц',
  // a different day in London than in Boston
  '03/04/2027',
  '31.02.2027',
  '2026-13-01',
  // in the past, or implausible
  '2026-11-21',
  '01.01.2020',
  '2099-01-01',
  'version 1.2.3',
  '3 parts of 12',
])('reads no date in %j', (text) => {
  expect(readDeadline(text, TODAY)).toBeUndefined();
});
