import { call, get, type List, type Schemas } from '../api';

export type Filament = Schemas['Filament'];

export const orderApi = {
  filaments: (signal?: AbortSignal) => get<List<Filament>>('/filaments?per_page=200', signal),
  consume: async (id: string, body: Schemas['ConsumeRequestInput'], key: string) =>
    (await call<Filament>('POST', `/filaments/${id}/consume`, { body, headers: { 'Idempotency-Key': key } })).answer,
};
