/** A workshop profile: what an account publishes about itself. */
export interface Profile {
  /** the last part of its address, /masters/{slug}; empty if none was chosen */
  slug: string;
  is_public: boolean;
  headline: string;
  about: string;
  materials: string[];
  contact: string;
  /** ids of the photos, in display order */
  photos: string[];
  created_at: string;
  updated_at: string;
}

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,38}[a-z0-9])$/;

export const MAX_PHOTOS = 8;
export const MAX_PHOTO_BYTES = 2_000_000;
export const MAX_MATERIALS = 30;

/** The profile before its owner has written one. */
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
