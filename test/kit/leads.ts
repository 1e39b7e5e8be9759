/** What a visitor does on a public profile: reads the page, fills in its form and sends it like a browser. */

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

export interface OpenForm {
  /** The address the form is sent to. */
  action: string;
  token: string;
  /** The time from which a submission is accepted; an earlier one counts as a bot's. */
  acceptedFrom: number;
}

export const FORM_FIELDS = ['description', 'contact', 'client_email', 'budget', 'deadline'] as const;

export const REQUEST = {
  description: 'A bracket for a shelf, 10 pieces',
  contact: 'Anna, +1 555 0100',
  client_email: 'anna@client.example',
  budget: 'up to 100',
  deadline: 'next Friday',
};

/** Longer than the form must be open, with a margin between two readings of the clock. */
const MIN_FORM_AGE_MS = 3_100;

const decode = (text: string) =>
  text
    .replace(/&quot;/g, '"')
    .replace(/&#x27;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');

/** The form of a page. */
export function findForm(html: string): OpenForm {
  const action = /<form (?=[^>]*method="post")[^>]*action="([^"]+)"/.exec(html)?.[1];
  const token = /<input (?=[^>]*name="token")[^>]*value="([^"]*)"/.exec(html)?.[1];
  if (action === undefined || token === undefined) throw new Error(`there is no form: ${html.slice(0, 500)}`);
  return { action: decode(action), token: decode(token), acceptedFrom: Date.now() + MIN_FORM_AGE_MS };
}

export async function openForm(origin: string, slug: string): Promise<OpenForm> {
  return findForm(await (await fetch(`${origin}/masters/${slug}`)).text());
}

/** Waits as long as a person needs at least. */
export const waitUntilAccepted = ({ acceptedFrom }: Pick<OpenForm, 'acceptedFrom'>): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, acceptedFrom - Date.now())));

export interface Sent {
  fields?: Record<string, string>;
  file?: { name: string; content: Uint8Array<ArrayBuffer> | string; type?: string };
  headers?: Record<string, string>;
}

/** Sends a form with its fields in the order of the page, the file last. */
export function sendForm(origin: string, { action, token }: Pick<OpenForm, 'action' | 'token'>, sent: Sent = {}) {
  const { fields = REQUEST, file, headers = {} } = sent;
  const form = new FormData();
  form.append('token', token);
  form.append('leave_blank', '');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const { name = '', content = '', type = 'application/octet-stream' } = file ?? {};
  form.append('file', new Blob([content], { type }), name);
  return fetch(new URL(action, origin), { method: 'POST', body: form, headers, redirect: 'manual' });
}
