export const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,38}[a-z0-9])$/;

export const MAX_PHOTOS = 8;
export const MAX_PHOTO_BYTES = 2_000_000;
export const MAX_MATERIALS = 30;
