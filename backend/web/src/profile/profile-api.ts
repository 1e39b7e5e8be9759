import { queryOptions } from '@tanstack/react-query';
import { get, Problem, request, type Schemas } from '../api/client';

export type Profile = Schemas['Profile'];
export type ProfilePatch = Schemas['ProfilePatchInput'];

export const MAX_PHOTOS = 8;

export const PROFILE = ['profile'];

export const profileQuery = queryOptions({
  queryKey: PROFILE,
  queryFn: ({ signal }) => get<Profile>('/profile', signal),
});

/** Uploads a file with progress. Uses XMLHttpRequest, because fetch can't report progress. @throws Problem */
function upload(path: string, content: Blob, progress: (share: number) => void): Promise<Profile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/console/api${path}`);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total, lengthComputable }) => lengthComputable && progress(loaded / total);
    request.onload = () => {
      if (request.status === 201) resolve(request.response as Profile);
      else reject(new Problem(request.status, (request.response ?? {}) as Partial<Schemas['Problem']>));
    };
    request.onerror = () => reject(new Problem(0, {}));
    request.send(content);
  });
}

export const profileApi = {
  save: async (body: ProfilePatch) => (await request<Profile>('PUT', '/profile', { body })).answer,
  addPhoto: (content: Blob, progress: (share: number) => void) => upload('/profile/photos', content, progress),
  placePhotos: async (ids: string[]) =>
    (await request<Profile>('PUT', '/profile/photo-order', { body: { ids } })).answer,
  removePhoto: async (id: string) => (await request<Profile>('DELETE', `/profile/photos/${id}`)).answer,
};

export const photoAddress = (id: string) => `/console/api/profile/photos/${id}`;
