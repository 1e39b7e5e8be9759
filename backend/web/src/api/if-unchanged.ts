/** `If-Match` for records whose version is their `updated_at`. */
export const ifUnchanged = ({ updated_at }: { updated_at: string }) => ({ 'If-Match': `"${updated_at}"` });
