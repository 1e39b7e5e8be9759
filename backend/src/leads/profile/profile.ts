/** What an account shows to everybody, once its owner has switched it on. */
export interface Profile {
  /** the name in the address: /masters/{slug}; empty as long as none was chosen */
  slug: string;
  is_public: boolean;
  headline: string;
  about: string;
  materials: string[];
  contact: string;
  /** ids of the photos, in the order they are shown */
  photos: string[];
  created_at: string;
  updated_at: string;
}

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,38}[a-z0-9])$/;

export const MAX_PHOTOS = 8;
export const MAX_PHOTO_BYTES = 2_000_000;
export const MAX_MATERIALS = 30;

/** A profile that nobody has written yet. */
export const emptyProfile = (at: string): Profile => ({
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
