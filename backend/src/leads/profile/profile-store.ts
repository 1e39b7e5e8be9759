import { toIso } from '../../../../common/src/clock.ts';
import { type Listed, offsetOf, type Page } from '../../shared/pagination.ts';
import { bool, containsPattern, type Db, forUpdate, query, queryOne } from '../../storage/dialect.ts';
import { queryPage } from '../../storage/page.ts';
import type { Profile } from '../lead-schema.ts';

interface ProfileRow {
  account_id: string;
  slug: string;
  is_public: number;
  headline: string;
  about: string;
  materials: string;
  contact: string;
  photos: string;
  created_at: number;
  updated_at: number;
}

const COLUMNS = 'account_id, slug, is_public, headline, about, materials, contact, photos, created_at, updated_at';

const toProfile = (row: ProfileRow): Profile => ({
  slug: row.slug,
  is_public: row.is_public === 1,
  headline: row.headline,
  about: row.about,
  materials: JSON.parse(row.materials) as string[],
  contact: row.contact,
  photos: JSON.parse(row.photos) as string[],
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

/** A public profile and its account. */
export interface PublicProfile extends Profile {
  accountId: string;
  farmName: string;
}

type PublicRow = ProfileRow & { farm_name: string };

const PUBLIC_COLUMNS = `${COLUMNS}, (SELECT a.name FROM accounts a WHERE a.id = t.account_id) AS farm_name`;

const toPublic = (row: PublicRow): PublicProfile => ({
  ...toProfile(row),
  accountId: row.account_id,
  farmName: row.farm_name,
});

/** Lower-cased here, because SQLite only knows the capital letters of ASCII. */
const searchText = (profile: Pick<Profile, 'materials'>): string => profile.materials.join('\n').toLowerCase();

export async function findProfile(db: Db, accountId: string): Promise<Profile | undefined> {
  const row = await queryOne<ProfileRow>(db, `SELECT ${COLUMNS} FROM profiles WHERE account_id = ?`, [accountId]);
  return row && toProfile(row);
}

/**
 * As `findProfile`, and locks the profile (FOR UPDATE): until the transaction ends, it can't be changed and no request
 * can be stored for it.
 */
export async function lockProfile(db: Db, accountId: string): Promise<Profile | undefined> {
  const sql = `SELECT ${COLUMNS} FROM profiles WHERE account_id = ?${forUpdate(db)}`;
  const row = await queryOne<ProfileRow>(db, sql, [accountId]);
  return row && toProfile(row);
}

export async function findPublic(db: Db, slug: string): Promise<PublicProfile | undefined> {
  const sql = `SELECT ${PUBLIC_COLUMNS} FROM profiles t WHERE slug = ? AND is_public = 1`;
  const row = await queryOne<PublicRow>(db, sql, [slug]);
  return row && toPublic(row);
}

export async function listPublic(db: Db, material: string | undefined, page: Page): Promise<Listed<PublicProfile>> {
  const { rows, total } = await queryPage<PublicRow>(db, {
    columns: PUBLIC_COLUMNS,
    table: 'profiles',
    where: ['t.is_public = 1', ...(material === undefined ? [] : ["t.search_text LIKE ? ESCAPE '!'"])],
    values: material === undefined ? [] : [containsPattern(material.toLowerCase())],
    orderBy: 't.created_at DESC, t.account_id DESC',
    limit: page.per_page,
    offset: offsetOf(page),
  });
  return { items: rows.map(toPublic), total };
}

/** The entries of the sitemap. */
export const listPublicSlugs = (db: Db, limit: number): Promise<{ slug: string; updated_at: number }[]> =>
  query(
    db,
    'SELECT slug, updated_at FROM profiles WHERE is_public = 1 ORDER BY created_at DESC, account_id DESC LIMIT ?',
    [limit],
  );

/** Inserts or replaces a profile. @throws the database's unique violation if another profile has the slug */
export async function saveProfile(
  db: Db,
  accountId: string,
  profile: Omit<Profile, 'created_at' | 'updated_at'>,
  at: number,
): Promise<Profile> {
  const [row] = await query<ProfileRow>(
    db,
    `INSERT INTO profiles (account_id, slug, is_public, headline, about, materials, contact, photos, search_text, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (account_id) DO UPDATE SET slug = excluded.slug, is_public = excluded.is_public, headline = excluded.headline,
       about = excluded.about, materials = excluded.materials, contact = excluded.contact, photos = excluded.photos,
       search_text = excluded.search_text, updated_at = excluded.updated_at
     RETURNING ${COLUMNS}`,
    [
      accountId,
      profile.slug,
      bool(profile.is_public),
      profile.headline,
      profile.about,
      JSON.stringify(profile.materials),
      profile.contact,
      JSON.stringify(profile.photos),
      searchText(profile),
      at,
      at,
    ],
  );
  return toProfile(row as ProfileRow);
}
