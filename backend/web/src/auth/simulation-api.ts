import { queryOptions } from '@tanstack/react-query';
import { get, type Schemas } from '../api/client';
import { renewSession } from '../api/renew-session';

/** No person can have an address there. */
const SIMULATED = '@farm.invalid';
const REFRESH_MS = 1_000;

/** Whether an account is that of a simulation. */
export const isSimulated = ({ email }: { email: string }): boolean => email.endsWith(SIMULATED);

/** The state of the simulation, read again until its day is over. */
export const simulationQuery = queryOptions({
  queryKey: ['simulation'],
  queryFn: ({ signal }) => get<Schemas['SimulationState']>('/simulation', signal),
  refetchInterval: ({ state }) => (state.data?.simulation?.is_over === false ? REFRESH_MS : false),
});

/** Another account from here on, so everything is loaded again. */
const reload = () => location.replace('/console/');

/** Starts a simulated farm and goes there. */
export async function watchSimulation(language: string): Promise<void> {
  await renewSession('POST', `/simulation?language=${language}`, undefined);
  reload();
}

/** Goes to the simulated farm of a link. */
export async function openSimulation(code: string): Promise<void> {
  await renewSession('POST', '/simulation/session', { code });
  reload();
}

/** Deletes the simulated farm and goes back to the own one. */
export async function removeSimulation(): Promise<void> {
  await renewSession('DELETE', '/simulation', undefined);
  reload();
}
