import { type Reply, type Route, route } from '../http/route.ts';
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

const tag = 'Requests';
const profileTag = 'Public profile';

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
  route({
    method: 'get',
    path: '/lead-counts',
    operationId: 'countLeads',
    tag,
    summary: 'Count requests by state',
    responses: { 200: { description: 'The summary', schema: LeadCounts } },
    async handle({ actor }) {
      return { status: 200, body: await leads.counts(actor.accountId) };
    },
  }),
  route({
    method: 'put',
    path: '/leads/{id}',
    operationId: 'updateLead',
    tag,
    summary: 'Mark a request as new, answered or archived',
    params: idParams,
    body: LeadPatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated request', schema: LeadRecord } },
    async handle({ actor, params, body }) {
      return { status: 200, body: await leads.setState(actor, params.id, body.state) };
    },
  }),
  route({
    method: 'delete',
    path: '/leads/{id}',
    operationId: 'deleteLead',
    tag,
    summary: 'Delete a request and its file',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 204: { description: 'Deleted' } },
    async handle({ actor, params }) {
      await leads.remove(actor, params.id);
      return { status: 204 };
    },
  }),
  route({
    method: 'post',
    path: '/leads/{id}/order',
    operationId: 'turnLeadIntoOrder',
    tag,
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
    async handle({ actor, params, body }) {
      const { lead, isNew } = await leads.toOrder(actor, params.id, body.language);
      const headers = { Location: `/api/v1/print-jobs/${lead.order_id}` };
      return { status: isNew ? 201 : 200, body: lead, ...(isNew && { headers }) };
    },
  }),
  route({
    method: 'get',
    path: '/leads/{id}/file',
    operationId: 'downloadLeadFile',
    tag,
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
    async handle({ actor, params }) {
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
  route({
    method: 'get',
    path: '/profile',
    operationId: 'getProfile',
    tag: profileTag,
    summary: 'Get the public profile',
    responses: { 200: { description: 'The profile', schema: ProfileRecord } },
    async handle({ actor }) {
      return { status: 200, body: await profiles.get(actor.accountId) };
    },
  }),
  route({
    method: 'get',
    path: '/profile/preview',
    operationId: 'previewProfile',
    tag: profileTag,
    summary: 'Preview the public page',
    query: PreviewQuery,
    responses: { 200: { description: 'A page', types: ['text/html'] } },
    async handle({ actor, query }) {
      const profile = await profiles.get(actor.accountId);
      return previewOf({ ...profile, farmName: actor.accountName }, query.lang);
    },
  }),
  route({
    method: 'put',
    path: '/profile',
    operationId: 'updateProfile',
    tag: profileTag,
    summary: 'Update the public profile',
    description: 'Changes only the fields sent. `is_public` publishes the profile.',
    body: ProfilePatch,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated profile', schema: ProfileRecord } },
    async handle({ actor, body }) {
      return { status: 200, body: await profiles.save(actor, body) };
    },
  }),
  route({
    method: 'post',
    path: '/profile/photos',
    operationId: 'addPhoto',
    tag: profileTag,
    summary: 'Add a photo',
    upload: { maxBytes: MAX_PHOTO_BYTES, description: 'a PNG, JPEG or WebP of at most 2 MB' },
    errors: ['version_conflict'],
    responses: { 201: { description: 'The profile with the photo', schema: ProfileRecord } },
    async handle({ actor, bytes }) {
      return { status: 201, body: await profiles.addPhoto(actor, bytes) };
    },
  }),
  route({
    method: 'put',
    path: '/profile/photo-order',
    operationId: 'placePhotos',
    tag: profileTag,
    summary: 'Reorder the photos',
    body: PhotoOrder,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The updated profile', schema: ProfileRecord } },
    async handle({ actor, body }) {
      return { status: 200, body: await profiles.placePhotos(actor, body.ids) };
    },
  }),
  route({
    method: 'get',
    path: '/profile/photos/{id}',
    operationId: 'getPhoto',
    tag: profileTag,
    summary: 'Get a photo, even if the profile is not public',
    params: idParams,
    responses: { 200: { description: 'The picture', types: Object.values(PHOTO_TYPES) } },
    async handle({ actor, params }) {
      return toPhotoReply(await profiles.photo(actor.accountId, params.id));
    },
  }),
  route({
    method: 'delete',
    path: '/profile/photos/{id}',
    operationId: 'removePhoto',
    tag: profileTag,
    summary: 'Delete a photo',
    params: idParams,
    errors: ['version_conflict'],
    responses: { 200: { description: 'The profile without it', schema: ProfileRecord } },
    async handle({ actor, params }) {
      return { status: 200, body: await profiles.removePhoto(actor, params.id) };
    },
  }),
];
