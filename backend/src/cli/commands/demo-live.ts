import type { RunningServer } from '../../main.ts';
import { DomainError } from '../../shared/errors.ts';
import type { Language } from '../../shared/language.ts';

interface Day {
  language: Language;
  seed: number;
  /** 1: the day takes three minutes */
  speed: number;
}

const timeOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(Math.floor(minute % 60)).padStart(2, '0')}`;

/** Shows a simulated day: in the console by a link, and as text. Ends with the day, or at a terminal with Ctrl+C. */
export async function watchSimulation({ farmboard, url, publicUrl }: RunningServer, day: Day): Promise<void> {
  const stopped = new Promise<void>((resolve) => process.once('SIGINT', () => resolve()));
  const { code, ended } = await farmboard.simulations.start({
    ...day,
    onMessage(message) {
      if (message.kind === 'line') console.log(`${timeOf(message.minute)}  ${message.text}`);
      if (message.kind === 'summary') console.log(`\nThe day is over.\n${message.lines.join('\n')}`);
    },
  });
  console.log(
    `A simulated farm: four simulated printers, the real agent, and a day in ${Math.round(180 / day.speed)} seconds (seed ${day.seed}). Nothing in it is real.`,
  );
  console.log(`Watch it at ${publicUrl || url}/console/simulation#${code}\n`);
  const end = await Promise.race([ended, stopped]);
  if (end === 'failed') throw new DomainError('unavailable', 'The simulation ended before its day.');
  if (end === 'stopped') console.log('\nThe simulation was removed.');
  if (end === 'over' && process.stdin.isTTY) {
    console.log('\nThe farm stays, so you can look around. Press Ctrl+C to delete it.');
    await stopped;
  }
}
