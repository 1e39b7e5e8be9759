import { z } from 'zod';
import { parseUrl } from '../../../common/src/url.ts';

const address = (schemes: string[]) =>
  z.string().transform((text, context): string => {
    const url = parseUrl(text);
    const shown = schemes.map((scheme) => `${scheme}//`).join(' or ');
    if (!url || !schemes.includes(url.protocol)) context.addIssue(`must be a URL that starts with ${shown}`);
    // not repeated, because it may contain a password
    else if (url.username || url.password)
      context.addIssue('must not contain a user name or password; use the separate fields');
    else if (url.search || url.hash) context.addIssue('must not contain a query or fragment');
    else return text.replace(/(?<!\/)\/+$/, '');
    return z.NEVER;
  });

export const http = () => address(['http:', 'https:']);
export const secret = () => z.string().min(1).max(1000);

export const token = () =>
  z
    .string()
    .regex(
      /^agt_[0-9A-Za-z]{8,}$/,
      'is not an agent token; agent tokens start with agt_ and are created in the console',
    );

export const tokenFields = {
  token: token().optional(),
  token_file: z.string().min(1).optional(),
  token_env: z.string().min(1).optional(),
};

/** The fields that every printer has, next to `type` and those of its protocol. */
export const printerFields = {
  name: z
    .string()
    .min(1)
    .max(60)
    .refine((text) => text.trim() === text, 'must not start or end with a space'),
  printer_id: z.guid('is not a printer ID').optional(),
  filament_density: z.number().min(0.5).max(25).optional(),
  filament_diameter: z.number().min(0.5).max(5).optional(),
  ...tokenFields,
};

/** What the agent knows of a printer in the config file; the rest is for its protocol. */
export type PrinterSettings = z.output<z.ZodObject<typeof printerFields>> & { type: string };
