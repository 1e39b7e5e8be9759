import { type Reply, type Route, routesOf } from '../http/route.ts';
import { idParams } from '../shared/schemas.ts';
import { attachment, PHOTO_TYPES, UPLOAD_CSP } from './file-kind.ts';
import {
  LeadCounts,
  LeadPatch,
  LeadRecord,
  OrderFromLead,
  PhotoOrder,
  PreviewQuery,
  ProfilePatch,
  ProfileRecord,
} from './lead-schema.ts';
import type { LeadService } from './lead-service.ts';
import { previewOf } from './preview.tsx';
import { MAX_PHOTO_BYTES } from './profile/profile.ts';
import type { Photo, ProfileService } from './profile/profile-service.ts';

const { get, post, put, remove } = routesOf('Requests');
const profile = routesOf('Public profile');

const LOCKED = {
  'Content-Security-Policy': UPLOAD_CSP,
  'X-Content-Type-Options': 'nosniff',
};

const toPhotoReply = ({ type, content }: Photo): Reply => ({
  status: 200,
  bytes: content,
  headers: { ...LOCKED, 'Content-Type': type },
});

/** Console routes for processing requests. */
export const leadConsoleRoutes = (leads: LeadService): Route[] => [
  get('/lead-counts', {
    operationId: 'countLeads',
    summary: 'Count requests by state',
    responses: { 200: { description: 'The summary', schema: LeadCounts } },
    handle: ({ actor }) => leads.counts(actor.accountId),
  }),
  put('/leads/{id}', {
    operationId: 'updateLead',
    summary: 'Mark a request as new, answered or archived',
    params: idParams,
    body: LeadPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated request', schema: LeadRecord } },
    handle: ({ actor, params, body }) => leads.setState(actor, params.id, body.state),
  }),
  remove('/leads/{id}', {
    operationId: 'deleteLead',
    summary: 'Delete a request and its file',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    handle: ({ actor, params }) => leads.remove(actor, params.id),
  }),
  post('/leads/{id}/order', {
    operationId: 'turnLeadIntoOrder',
    summary: 'Create an order from a request',
    description: 'Sends `order.created`. Calling it again returns 200 with the existing order.',
    params: idParams,
    body: OrderFromLead,
    errors: ['version_conflict'],
    responses: {
      200: { description: 'The order already exists', schema: LeadRecord },
      201: {
        description: 'The request, with the new order',
        schema: LeadRecord,
        headers: { Location: 'of the order' },
      },
    },
    async reply({ actor, params, body }) {
      const { lead, isNew } = await leads.toOrder(actor, params.id, body.language);
      const headers = { Location: `/api/v1/print-jobs/${lead.order_id}` };
      return { status: isNew ? 201 : 200, body: lead, ...(isNew && { headers }) };
    },
  }),
  get('/leads/{id}/file', {
    operationId: 'downloadLeadFile',
    summary: 'Download the file of a request',
    description: 'Always as a download.',
    params: idParams,
    responses: {
      200: {
        description: 'The original file',
        types: ['application/octet-stream'],
        headers: { 'Content-Disposition': 'attachment, with its name' },
      },
    },
    async reply({ actor, params }) {
      const { name, content } = await leads.file(actor.accountId, params.id);
      return {
        status: 200,
        bytes: content,
        headers: {
          ...LOCKED,
          'Content-Type': 'application/octet-stream',
          'Content-Disposition': attachment(name),
        },
      };
    },
  }),
];

export const profileRoutes = (profiles: ProfileService): Route[] => [
  profile.get('/profile', {
    operationId: 'getProfile',
    summary: 'Get the public profile',
    responses: { 200: { description: 'The profile', schema: ProfileRecord } },
    handle: ({ actor }) => profiles.get(actor.accountId),
  }),
  profile.get('/profile/preview', {
    operationId: 'previewProfile',
    summary: 'Preview the public page',
    query: PreviewQuery,
    responses: { 200: { description: 'A page', types: ['text/html'] } },
    async reply({ actor, query }) {
      const profile = await profiles.get(actor.accountId);
      return previewOf({ ...profile, farmName: actor.accountName }, query.lang);
    },
  }),
  profile.put('/profile', {
    operationId: 'updateProfile',
    summary: 'Update the public profile',
    description: 'Changes only the fields sent. `is_public` publishes the profile.',
    body: ProfilePatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated profile', schema: ProfileRecord } },
    handle: ({ actor, body }) => profiles.save(actor, body),
  }),
  profile.post('/profile/photos', {
    operationId: 'addPhoto',
    summary: 'Add a photo',
    upload: { maxBytes: MAX_PHOTO_BYTES, description: 'a PNG, JPEG or WebP of at most 2 MB' },
    errors: ['version_conflict'],
    responses: { 201: { description: 'The profile with the photo', schema: ProfileRecord } },
    handle: ({ actor, bytes }) => profiles.addPhoto(actor, bytes),
  }),
  profile.put('/profile/photo-order', {
    operationId: 'placePhotos',
    summary: 'Reorder the photos',
    body: PhotoOrder,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated profile', schema: ProfileRecord } },
    handle: ({ actor, body }) => profiles.placePhotos(actor, body.ids),
  }),
  profile.get('/profile/photos/{id}', {
    operationId: 'getPhoto',
    summary: 'Get a photo, even if the profile is not public',
    params: idParams,
    responses: { 200: { description: 'The picture', types: Object.values(PHOTO_TYPES) } },
    reply: async ({ actor, params }) => toPhotoReply(await profiles.photo(actor.accountId, params.id)),
  }),
  profile.remove('/profile/photos/{id}', {
    operationId: 'removePhoto',
    summary: 'Delete a photo',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The profile without it', schema: ProfileRecord } },
    handle: ({ actor, params }) => profiles.removePhoto(actor, params.id),
  }),
];
