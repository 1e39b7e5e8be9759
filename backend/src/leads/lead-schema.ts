import { z } from 'zod';
import { EXAMPLE_IDS } from '../http/examples.ts';
import { LANGUAGES } from '../shared/language.ts';
import { listOf, pageQuery } from '../shared/pagination.ts';
import { searchText, text, uuid } from '../shared/schemas.ts';
import { LEAD_SORTS, LEAD_STATES } from './lead.ts';
import { MAX_MATERIALS, MAX_PHOTOS, SLUG } from './profile/profile.ts';

const state = () => z.enum(LEAD_STATES);

export const LeadRecord = z
  .object({
    id: uuid().meta({ example: EXAMPLE_IDS.lead }),
    state: state().meta({ example: 'new' }),
    description: z.string(),
    contact: z.string().describe('empty if nothing was entered, like the other texts'),
    client_email: z.string(),
    budget: z.string(),
    deadline: z.string(),
    file: z
      .object({
        name: z.string(),
        kind: z.string().describe('determined from its content: `stl`, `pdf`'),
        bytes: z.int(),
      })
      .nullable()
      .meta({ example: { name: 'bracket.stl', kind: 'stl', bytes: 48_284 } }),
    order_id: uuid()
      .nullable()
      .describe('the order that was created from it; null if there is none or it was deleted')
      .meta({ example: null }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Lead' });
export type Lead = z.output<typeof LeadRecord>;

/** What a customer entered in the public form, unchanged; empty if a field was left out. */
export type LeadText = Pick<Lead, 'description' | 'contact' | 'client_email' | 'budget' | 'deadline'>;

export const LeadList = listOf(LeadRecord);

export const LeadQuery = z.strictObject({
  ...pageQuery,
  sort: z.enum(LEAD_SORTS).default('-created_at').describe('`-`: descending'),
  state: state().optional(),
  order_id: uuid().optional().describe('only the request that this order was created from'),
  q: searchText('any field').optional(),
});

export const LeadPatch = z.object({ state: state() }).meta({ id: 'LeadPatch', examples: [{ state: 'answered' }] });

export const LeadCounts = z.object({ new: z.int(), answered: z.int(), archived: z.int() }).meta({ id: 'LeadCounts' });

export const OrderFromLead = z
  .object({ language: z.enum(LANGUAGES).default('en').describe("the language of the order's notes") })
  .meta({ id: 'OrderFromLead', examples: [{ language: 'en' }] });

const profileFields = {
  slug: z
    .string()
    .regex(SLUG, 'must have 3 to 40 small letters a–z, digits and hyphens, with no hyphen at either end')
    .describe('the last part of the public address: `/masters/{slug}`'),
  is_public: z.boolean().describe('whether the public page can be visited; default: false'),
  headline: text(120),
  about: text(5000),
  materials: z.array(text(40, 1)).max(MAX_MATERIALS),
  contact: text(500),
};

export const ProfileRecord = z
  .object({
    ...profileFields,
    slug: z
      .string()
      .describe('empty until the profile is saved for the first time')
      .meta({ example: 'layer-workshop' }),
    headline: z.string().meta({ example: 'Prints in PETG and ASA within a week' }),
    about: z.string().meta({ example: 'Three printers, parts up to 36 cm.' }),
    materials: z.array(z.string()).meta({ example: ['PETG', 'ASA'] }),
    contact: z.string().meta({ example: 'Telegram @layer_workshop' }),
    photos: z
      .array(uuid())
      .describe('in display order')
      .meta({ example: [EXAMPLE_IDS.photo] }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Profile' });
/** What an account publishes about itself. */
export type Profile = z.output<typeof ProfileRecord>;

export const ProfilePatch = z
  .object(profileFields)
  .partial()
  .meta({
    id: 'ProfilePatch',
    examples: [
      {
        slug: 'layer-workshop',
        is_public: true,
        headline: 'Prints in PETG and ASA within a week',
        materials: ['PETG', 'ASA'],
      },
    ],
  });
export type ProfilePatch = z.output<typeof ProfilePatch>;

export const PhotoOrder = z
  .object({ ids: z.array(uuid()).max(MAX_PHOTOS) })
  .meta({ id: 'PhotoOrder', examples: [{ ids: [EXAMPLE_IDS.photo] }] });

export const PreviewQuery = z.strictObject({ lang: z.enum(LANGUAGES).default('en') });
