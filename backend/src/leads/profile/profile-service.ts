import { type Clock, toIso } from '../../../../common/src/clock.ts';
import { randomBase62 } from '../../../../common/src/crypto.ts';
import type * as accountStore from '../../accounts/account-store.ts';
import type { Actor } from '../../accounts/token.ts';
import { invalid, notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { checkNames } from '../../shared/names.ts';
import type { Listed, Page } from '../../shared/pagination.ts';
import { patched } from '../../shared/patch.ts';
import { isUniqueViolation } from '../../storage/dialect.ts';
import type { Storage } from '../../storage/open.ts';
import type { Tx } from '../../storage/transaction.ts';
import { PHOTO_TYPES, type PhotoKind, photoKindOf } from '../file-kind.ts';
import * as files from '../file-store.ts';
import type { Profile, ProfilePatch } from '../lead-schema.ts';
import { withoutMetadata } from '../photo-metadata.ts';
import { MAX_PHOTOS } from './profile.ts';
import * as store from './profile-store.ts';

/** The profile before its owner has written one. */
const emptyProfile = (at: string): Profile => ({
  slug: '',
  is_public: false,
  headline: '',
  about: '',
  materials: [],
  contact: '',
  photos: [],
  created_at: at,
  updated_at: at,
});

export interface Photo {
  type: string;
  content: Buffer;
}

export type ProfileService = ReturnType<typeof createProfileService>;

interface ProfileDeps {
  storage: Storage;
  clock: Clock;
  accounts: Pick<typeof accountStore, 'lockAccount'>;
}

/** Workshop profiles: written by their owners and, once published, visible to everyone. */
export function createProfileService({ storage, clock, accounts }: ProfileDeps) {
  /** Changes a profile under its lock, creating it if there is none. @throws DomainError validation_error */
  async function change(
    { accountId }: Pick<Actor, 'accountId'>,
    work: (before: Profile, tx: Tx) => Promise<Profile>,
  ): Promise<Profile> {
    try {
      return await storage.inTransaction(async (tx) => {
        // the first changes of a profile find no row of it to lock
        await accounts.lockAccount(tx.db, accountId);
        const before = (await store.lockProfile(tx.db, accountId)) ?? emptyProfile(toIso(clock()));
        const wanted = await work(before, tx);
        // until the owner chooses an address, the profile gets a unique one
        const slug = wanted.slug || `master-${randomBase62(8).toLowerCase()}`;
        if (wanted.is_public && wanted.headline.trim() === '')
          throw invalid('/headline', 'A public profile needs a headline.');
        tx.changed(accountId, { kind: 'lead', id: accountId });
        return store.saveProfile(tx.db, accountId, { ...wanted, slug }, clock());
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw invalid('/slug', 'This address is already taken. Choose another one.');
      throw error;
    }
  }

  async function readPhoto(accountId: string, id: string): Promise<Photo> {
    const file = await files.findFile(storage.read, accountId, id);
    const kind = file?.kind as PhotoKind;
    const type = PHOTO_TYPES[kind];
    if (file?.purpose !== 'photo' || type === undefined) throw notFound();
    return { type, content: await files.readContent(storage.read, id) };
  }

  return {
    get: async (accountId: string): Promise<Profile> =>
      (await store.findProfile(storage.read, accountId)) ?? emptyProfile(toIso(clock())),

    /** @throws DomainError validation_error */
    save: (actor: Actor, patch: ProfilePatch): Promise<Profile> =>
      change(actor, async (before) => {
        checkNames<ProfilePatch>(['headline'], patch, before);
        return patched(before, patch);
      }),

    /** @throws DomainError validation_error if it isn't a supported image or there are too many */
    async addPhoto(actor: Actor, bytes: Buffer): Promise<Profile> {
      const kind = photoKindOf(bytes);
      const content = kind && withoutMetadata(bytes, kind);
      if (!content) throw invalid('', "This image can't be displayed. Upload a PNG, JPEG or WebP file.");
      return change(actor, async (before, tx) => {
        if (before.photos.length >= MAX_PHOTOS)
          throw invalid('', `A profile can have up to ${MAX_PHOTOS} photos. Delete one first.`);
        const id = newId();
        const file = { id, accountId: actor.accountId, name: `photo.${kind}`, kind, content, at: clock() };
        await files.insertFile(tx.db, { ...file, purpose: 'photo' });
        return { ...before, photos: [...before.photos, id] };
      });
    },

    /** @throws DomainError not_found */
    async removePhoto(actor: Actor, id: string): Promise<Profile> {
      return change(actor, async (before, tx) => {
        if (!before.photos.includes(id)) throw notFound();
        await files.deleteFile(tx.db, id);
        return { ...before, photos: before.photos.filter((one) => one !== id) };
      });
    },

    /** @throws DomainError validation_error unless each photo is named exactly once */
    placePhotos: (actor: Actor, ids: readonly string[]): Promise<Profile> =>
      change(actor, async (before) => {
        if ([...ids].sort().join() !== [...before.photos].sort().join())
          throw invalid('/ids', 'must contain every photo of the profile exactly once');
        return { ...before, photos: [...ids] };
      }),

    /** The profile as its owner sees it. @throws DomainError not_found */
    photo: readPhoto,

    /** Undefined if it doesn't exist or isn't public; visitors can't tell the difference. */
    findPublic: (slug: string): Promise<store.PublicProfile | undefined> => store.findPublic(storage.read, slug),

    /** A photo of the profile. @throws DomainError not_found */
    async publicPhoto(profile: store.PublicProfile, id: string): Promise<Photo> {
      if (!profile.photos.includes(id)) throw notFound();
      return readPhoto(profile.accountId, id);
    },

    listPublic: (material: string | undefined, page: Page): Promise<Listed<store.PublicProfile>> =>
      store.listPublic(storage.read, material, page),

    publicSlugs: (limit: number) => store.listPublicSlugs(storage.read, limit),
  };
}
